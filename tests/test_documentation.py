"""The documentation is complete and true: the sample site, README and CONTRIBUTING against the code."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from server.cli.commands.commands import twinpress
from tests.sites import build_site, write_site
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[1]
SITE = ROOT / "sample-site"
PAGES = SITE / "docs" / "reference" / "command-line"
TEXTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
PACKAGES = ("builder", "components", "server", "themes", "tests")


def test_the_sample_site_has_nothing_to_mend() -> None:
    found = build(SITE, MemoryOutput()).diagnostics
    assert [f"{each.file}:{each.line}: {each.message} [{each.code}]" for each in found] == []


def test_the_sample_site_shows_a_draft_only_when_asked() -> None:
    without, with_drafts = MemoryOutput(), MemoryOutput()
    build(SITE, without)
    build(SITE, with_drafts, Options(drafts=True))
    draft = "docs/writing/style-guide.html"
    assert without.get(draft) is None
    assert with_drafts.get(draft) is not None


def _declared(command: click.Command) -> list[click.Option]:
    """The options of a command and of those below it, but for those that our own processes give it."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    own = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return own + [option for each in inner for option in _declared(each)]


@pytest.mark.parametrize("name", sorted(twinpress.commands))
def test_a_command_has_a_page_that_names_exactly_its_options(name: str) -> None:
    text = (PAGES / f"{name}.mdx").read_text("utf-8")
    usage = text.split("```text\n", 1)[1].split("```", 1)[0]
    parameters = text.split("<Params", 1)[1].split("</Params>", 1)[0]
    declared = _declared(twinpress.commands[name])
    listed = re.findall(r'<Param name="([^"]+)"', parameters)
    named = {word for each in listed for word in each.split(", ") if word.startswith("-")}
    assert named == {name for each in declared for name in each.opts}
    assert all(any(option in usage for option in each.opts) for each in declared)


def test_the_page_of_the_command_line_has_every_command_and_exit_code() -> None:
    text = (PAGES / "index.mdx").read_text("utf-8")
    codes = re.findall(r"^ *(\d+) ", importlib.import_module("server.cli.main").__doc__ or "", re.MULTILINE)
    assert codes
    assert [code for code in codes if not re.search(rf"^(\| |- ){code}\b", text, re.MULTILINE)] == []
    assert [name for name in twinpress.commands if f"twinpress {name}" not in text] == []


def test_every_environment_variable_is_documented() -> None:
    sources = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in sources for name in re.findall(r"TWINPRESS_[A-Z_]+", path.read_text("utf-8"))}
    texts = [ROOT / "CONTRIBUTING.md", PAGES / "index.mdx"]
    told = " ".join(each.read_text("utf-8") for each in texts)
    assert named
    assert [name for name in sorted(named) if name not in told] == []


@pytest.mark.parametrize("file", TEXTS)
def test_a_link_to_a_file_of_the_repository_leads_somewhere(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("file", TEXTS)
def test_every_make_target_that_is_named_exists(file: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = re.findall(r"(?:`|^ *)make ([a-z]+)", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert set(named) <= targets


FENCE = re.compile(r'^( *)(`{3,})(mdx|md) title="([^"]+)"\n(.*?)^\1\2$', re.DOTALL | re.MULTILINE)
SHOWN = ("pages/index.mdx", "docs/machines/twins.mdx", "docs/start/first-site.mdx")


@pytest.mark.parametrize("page", SHOWN)
def test_a_twin_that_a_page_shows_is_the_twin_of_the_source_it_shows(page: str, tmp_path: Path) -> None:
    blocks = FENCE.findall((SITE / page).read_text("utf-8"))
    texts = {title: textwrap.dedent(text) for _, _, _, title, text in blocks}
    twins = {title: text for title, text in texts.items() if title.startswith("/")}
    assert twins
    built = build_site(tmp_path, {title: text for title, text in texts.items() if title.endswith(".mdx")})
    assert {title: built.twin(title[1:]) for title in twins} == twins


def _check(site: Path, form: str) -> str:
    command = [str(Path(sys.executable).with_name("twinpress")), "check", "--format", form]
    return subprocess.run(
        command, cwd=site, capture_output=True, text=True, check=False, timeout=PATIENCE
    ).stdout


@pytest.mark.parametrize(("form", "language"), [("text", "text"), ("json", "json"), ("github", "text")])
def test_the_output_of_check_is_the_one_that_its_page_shows(form: str, language: str, tmp_path: Path) -> None:
    text = (PAGES / "check.mdx").read_text("utf-8")
    site = tmp_path / "site"
    shutil.copytree(ROOT / "server" / "starter", site)
    blocks = FENCE.findall(text)
    write_site(site, {title: source for _, _, _, title, source in blocks})
    part = text.split(f"### {form}\n", 1)[1]
    shown = part.split(f"```{language}\n", 1)[1].split("```", 1)[0]
    assert _check(site, form).startswith(shown)
