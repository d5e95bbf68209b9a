"""`llms.txt` of a large site: parted by section, so that no file is cut off by who fetches it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from builder.plan import llms_index
from builder.plan.layout import Layout, lay_out
from builder.plan.llms_sections import IndexEntry
from builder.site import load
from builder.store import ContentStore
from tests.sites import build_site, write_site

CASES = json.loads(Path(__file__).with_name("llms_index.json").read_text("utf-8"))
LINE = re.compile(r"- \[(?P<title>.*)\]\((?P<url>\S+?)\)(?:: (?P<about>.*))?")
FORM = re.compile(r"# .+\n\n(> .+\n\n)?## .+\n\n- \[")
SITE = "https://t.example"
SEEDS = range(40)


def laid_out(folder: Path, files: Mapping[str, str]) -> Layout:
    """Lay out a site that is written to a folder."""
    with ContentStore(write_site(folder, files)) as store:
        return lay_out(load(store))


def texts(layout: Layout) -> dict[str, str]:
    """The files of the index by output path."""
    config = layout.site.config
    return {file.output: file.text(config.url or config.base_path) for file in layout.index}


def lines(text: str) -> list[re.Match[str]]:
    """The lines about pages and parts."""
    return [found for line in text.split("\n") if (found := LINE.fullmatch(line))]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_site_has_these_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Mapping[str, object]
) -> None:
    monkeypatch.setattr(llms_index, "LONGEST", case["longest"])
    built = build_site(tmp_path, case["site"])
    expected = {path: "\n".join(text) for path, text in case["files"].items()}
    names = {path for path in built.output.written if re.fullmatch(r"(.*/)?llms(-\d+)?\.txt", path)}
    assert {path: built.text(path) for path in names} == expected
    assert [[found.code, found.message] for found in built.diagnostics] == case.get("found", [])


def random_site(chance: random.Random) -> dict[str, str]:
    """Make a site with folders in folders, and sometimes with groups, or without `docs` in addresses."""
    folders = ["docs"]
    for number in range(chance.randint(0, 12)):
        folders.append(f"{chance.choice(folders[-4:])}/f{number}")
    settings = ["title: The *T*", f"description: {'All of it. ' * chance.randint(0, 4)}", f"url: {SITE}"]
    pages = {f"{chance.choice(folders)}/p{number}.md" for number in range(chance.randint(1, 80))}
    pages |= {f"pages/s{number}.md" for number in range(chance.choice((0, 1, 12)))}
    files = {path: _page(path, chance) for path in sorted(pages)}
    settings += chance.choice(([], ["docs_at: /"], ["docs_at: /handbook"]))
    if chance.random() < 0.4:
        named = [path.removesuffix(".md") for path in sorted(pages) if path.startswith("docs/")]
        items = ", ".join(chance.sample(named, min(len(named), 9)))
        label = chance.choice(("Get started", "F0", "***", "_tp", "Straße"))
        groups = [f"- {{label: '{label}', items: [{items}]}}", f"- {{label: '{label}', items: [{named[0]}]}}"]
        files["sidebar.yml"] = "\n".join([*groups, "- {folder: pages}", "- {folder: docs}", ""])
        settings.append("sidebar: sidebar.yml")
    return {**files, "site.yml": "\n".join((*settings, ""))}


def _page(path: str, chance: random.Random) -> str:
    about = f"description: '{'A *word* of it. ' * chance.randint(0, 9)}'\n"
    more = chance.choice(("", "", "", "unlisted: true\n", "draft: true\n"))
    title = f"{path} {chance.choice(('long *', '長い')) * chance.randint(0, 5)}"
    return f"---\ntitle: '{title}'\n{about}{more}---\nText.\n"


def walked(files: Mapping[str, str], output: str = "llms.txt") -> Iterator[tuple[str, list[re.Match[str]]]]:
    """Each file that one leads to, itself first, with the lines about pages that it has."""
    found = lines(files[output])
    inner = [each["url"].removeprefix(f"{SITE}/") for each in found if each["url"].endswith(".txt")]
    assert not inner or len(inner) == len(found) or output == "llms.txt"
    yield output, [each for each in found if each["url"].endswith(".md")]
    for part in inner:
        yield from walked(files, part)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_listed_page_is_in_one_part_and_no_file_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    site, longest = random_site(chance), chance.randint(1_200, 4_000)
    whole = texts(laid_out(tmp_path, site))
    assert [*whole] == ["llms.txt"]
    monkeypatch.setattr(llms_index, "LONGEST", longest)
    layout = laid_out(tmp_path, {})
    files = texts(layout)
    if len(whole["llms.txt"]) <= longest:
        assert files == whole
        return
    reached = list(walked(files))
    assert sorted(path for path, _ in reached) == sorted(files)
    assert len({path.casefold() for path in files}) == len(files)
    assert layout.outputs >= set(files)
    listed = [line[0] for _, found in reached for line in found]
    assert sorted(listed) == sorted(line[0] for line in lines(whole["llms.txt"]))
    assert {path for path, text in files.items() if len(text) > longest and len(lines(text)) > 1} == set()
    assert {
        path for path, text in files.items() if not re.match(r"# .+\n\n(> .+\n\n)?## .+\n\n- \[", text)
    } == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_list_tells_how_many_pages_its_parts_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(llms_index, "LONGEST", 1_500)
    files = texts(laid_out(tmp_path, random_site(random.Random(seed))))
    for text in files.values():
        for line in lines(text):
            if line["url"].endswith(".txt"):
                part = line["url"].removeprefix(f"{SITE}/")
                pages = sum(len(found) for _, found in walked(files, part))
                assert line["about"].startswith(f"Pages: {pages}.")


@pytest.mark.parametrize(
    "text", [chr(code) * 2 for code in range(33, 127)] + ["a &amp; b", "a_b _c_", " x  y\n"]
)
def test_a_line_is_not_longer_than_it_is_counted(text: str) -> None:
    entry = IndexEntry(text, "/docs/a.md", text)
    assert len(f"{entry.text(SITE)}\n") <= entry.longest(SITE)


def test_the_limit_is_that_of_agents() -> None:
    assert llms_index.LONGEST == 50_000


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_of_just_the_limit_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    site = {
        "site.yml": f"title: T\nlanguage: de\nurl: {SITE}\n",
        "docs/a.md": "# A\n",
        "docs/b/c.md": "# C\n",
    }
    whole = build_site(tmp_path, site).text("llms.txt")
    assert whole.startswith("# T\n\n## Dokumentation\n")
    monkeypatch.setattr(llms_index, "LONGEST", len(whole) - more)
    built = build_site(tmp_path, {})
    assert (built.text("llms.txt") == whole) == (more == 0)
    assert ("docs/b/llms.txt" in built.output.paths) == (more == 1)


def test_an_edit_of_a_page_changes_no_part_that_it_is_not_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llms_index, "LONGEST", 3_000)
    site = {f"docs/guide/p{number:02}.md": f"# Page {number}\n" for number in range(80)}
    before = texts(laid_out(tmp_path, {**site, "site.yml": f"title: T\nurl: {SITE}\n"}))
    after = texts(laid_out(tmp_path, {"docs/guide/p40.md": "# Page 40, which has a longer title by now\n"}))
    assert [*before] == [*after]
    assert len(before) > 4
    changed = [path for path, text in after.items() if text != before[path]]
    assert [path for path in changed if "longer title" in after[path]] != []
    assert [path for path in changed if lines(after[path])[0]["url"].endswith(".md")] == [
        path for path in after if "(https://t.example/docs/guide/p40.md)" in after[path]
    ]


def test_links_lead_to_parts_and_redirects_do_not_take_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llms_index, "LONGEST", 420)
    pages = {f"docs/guide/p{number}.md": f"# Page {number}\n" for number in range(9)}
    links = "[a](/docs/guide/llms.txt) [b](/docs/other/llms.txt) [c](/llms-1.txt)\n"
    settings = f"title: T\nurl: {SITE}\nredirects:\n  /docs/guide/llms.txt: /docs/a\n"
    built = build_site(tmp_path, {**pages, "docs/a.md": links, "site.yml": settings})
    told = [found.message for found in built.diagnostics]
    assert [one for one in told if "llms.txt" in one] == told
    assert sorted(built.codes) == ["broken-link", "path-conflict"]
    assert "there is no page or file `/docs/other/llms.txt`" in told
