"""The guide's pages about moving, held against what the importer does with small sites of each system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.importer.old_site import System
from tests.builder.importer.imported import imported, write_origin
from tests.project.migrating_sites import SITES
from tests.server.commands import twinpress

FLAGS = re.MULTILINE | re.DOTALL
PAGES = Path(__file__).parents[2] / "sample-site/docs/project/migrating"
GROUP = re.compile(
    r'<CodeGroup labels="(?P<label>[^":]*): [^"]*">\n(?P<inner>.*?)\n</CodeGroup>\n\n(?=<|##)', re.DOTALL
)
FENCE = re.compile(r"^(`{3,})\w+\n(.*?)\n\1$", FLAGS)
ROW = re.compile(r"^\| (?P<old>[^|\n]+) \| (?P<new>[^|\n]+) \|$", re.MULTILINE)
NAME = re.compile(r"`([a-z_]+(?:\.yml)?)`")


def _page(system: System) -> str:
    return (PAGES / f"{system}.mdx").read_text()


def _section(system: System, title: str) -> str:
    return _page(system).split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def _pairs() -> Iterator[tuple[System, str, str, str]]:
    for system in SITES:
        for group in GROUP.finditer(_section(system, "On a page") + "##"):
            old, new = (each[2] for each in FENCE.finditer(group["inner"]))
            yield system, group["label"], old, new


PAIRS = list(_pairs())


@pytest.mark.parametrize(
    ("system", "old", "new"), [(s, o, n) for s, _, o, n in PAIRS], ids=[f"{s}-{t}" for s, t, *_ in PAIRS]
)
def test_each_example_is_what_the_import_writes(tmp_path: Path, system: System, old: str, new: str) -> None:
    site = SITES[system]
    texts = imported(tmp_path, system, {**site.files, site.page: f"# Harbour\n\n{old}\n"}).texts
    page = next(text for name, text in texts.items() if name.startswith("docs/index."))
    assert page.split("# Harbour\n\n", 1)[1].strip("\n") == new


@pytest.mark.parametrize("system", SITES)
def test_settings_and_losses_are_those_of_the_page(tmp_path: Path, system: System) -> None:
    site = SITES[system]
    new = imported(tmp_path / "old", system, {**site.files, site.page: f"# Harbour\n\n{site.lossy}"})
    there = {*re.findall(r"^ *(?:- )?([a-z_]+):", "\n".join(new.texts.values()), re.MULTILINE), *new.texts}
    named = {name for row in ROW.finditer(_section(system, "Settings")) for name in NAME.findall(row["new"])}
    assert named <= there
    told = {loss.what for loss in new.losses}
    rows = {row["new"] for row in ROW.finditer(_section(system, "What does not come over"))}
    assert {row for row in rows if row not in {"In the report", "---"}} <= told


@pytest.mark.parametrize("system", SITES)
def test_the_commands_of_the_page_work(tmp_path: Path, system: System) -> None:
    site = SITES[system]
    command = re.search(r"twinpress (import) (\S+) (\S+)\n", _page(system))
    assert command is not None
    write_origin(tmp_path / command[2], {**site.files, site.page: "# Harbour\n"})
    done = twinpress(*command.groups(), cwd=tmp_path)
    said = re.search(r"([\d,]+) of ([\d,]+) old addresses answer", done.stdout)
    assert said is not None, done.stderr
    assert said[1] == said[2]
    assert "error" not in twinpress("check", "my-docs", "--summary", cwd=tmp_path).stdout


def test_the_report_is_as_the_guide_shows_it(tmp_path: Path) -> None:
    site = SITES["mdbook"]
    shown = re.search(
        r'^```md title="import-report.md"\n(.*?)\n```$', (PAGES / "import.mdx").read_text(), FLAGS
    )
    assert shown is not None
    write_origin(tmp_path / "book", {**site.files, site.page: f"# Harbour\n\n{site.lossy}"})
    assert twinpress("import", "book", "new", cwd=tmp_path).returncode == 1
    assert shown[1] in (tmp_path / "new/import-report.md").read_text()
