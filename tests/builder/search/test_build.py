"""The index of a whole build: what is in it, what is not, and that it is the same each time."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.sites import Built, build_site

FILES = "title: T\nsearch_excerpts: files\n"
"""With a file for each page."""
SITE = {
    "site.yml": FILES,
    "docs/a.mdx": "---\ndescription: About mangoes.\n---\n# Apples\n\nRed.\n\n## Pears {#p}\n\nGreen.\n",
    "docs/b.mdx": "<Accordion>\n<AccordionItem title='Secrettitle'>\nSecrettext\n"
    "</AccordionItem>\n</Accordion>\n",
    "docs/c.md": "---\ndraft: true\n---\n# Draftword\n",
    "docs/e.md": "<b onclick='evilword()'>Shown</b> <script>scriptword()</script> <!-- commentword -->\n",
    "docs/in/d.md": "# D\n",
    "pages/404.md": "# Lostword\n",
}


NOTED = "# N\n\nA word[^1] and more.\n\n[^1]: Said *there*.\n"


def test_numbers_of_footnotes_are_not_in_the_text(tmp_path: Path) -> None:
    found = rows(build_site(tmp_path, {"site.yml": FILES, "docs/index.md": NOTED}))
    assert [section for row in found for section in row[2]] == [["", "", "N A word and more. Said there."]]


def test_the_way_back_from_a_footnote_is_not_in_the_text(tmp_path: Path) -> None:
    page = "# N\n\nA word[^1].\n\n## Second\n\nMore.\n\n[^1]: Said.\n"
    found = rows(build_site(tmp_path, {"site.yml": FILES, "docs/index.md": page}))
    assert [text for row in found for *_, text in row[2]] == ["N A word.", "More. Said."]


def index(built: Built) -> dict[str, str]:
    return {
        path: built.text(path)
        for path in sorted(built.output.paths)
        if path.startswith("_tp/search/") or path == "_tp/search.json"
    }


def rows(built: Built) -> list[list[object]]:
    """Return the index's entry of each page."""
    return [
        row
        for path, text in index(built).items()
        if path.startswith("_tp/search/d")
        for row in json.loads(text)
    ]


def test_a_page_is_there_with_its_sections(tmp_path: Path) -> None:
    found = next(row for row in rows(build_site(tmp_path, SITE)) if row[0] == "/docs/a")
    assert found == ["/docs/a", "Apples", [["", "", "About mangoes. Apples Red."], ["p", "Pears", "Green."]]]


def test_drafts_hidden_parts_and_html_are_not_in_the_index(tmp_path: Path) -> None:
    told = " ".join(index(build_site(tmp_path, SITE)).values()).lower()
    hidden = (
        "draftword",
        "secrettitle",
        "secrettext",
        "evilword",
        "scriptword",
        "commentword",
        "lostword",
        "onclick",
    )
    assert [word for word in hidden if word in told] == []
    assert "shown" in told


def test_premium_parts_are_there_when_they_are_shown(tmp_path: Path) -> None:
    told = " ".join(index(build_site(tmp_path, SITE, Options(plan="premium"))).values())
    assert "Secrettext" in told


def test_the_preview_finds_drafts_as_it_shows_them(tmp_path: Path) -> None:
    told = " ".join(index(build_site(tmp_path, SITE, Options(drafts=True))).values())
    assert "Draftword" in told


def test_a_category_without_a_page_is_found_by_its_name(tmp_path: Path) -> None:
    assert ["/docs/in/", "In", [["", "", "D"]]] in rows(build_site(tmp_path, SITE))


def test_two_builds_have_the_same_index(tmp_path: Path) -> None:
    first, second = (build_site(tmp_path / name, SITE) for name in "ab")
    assert index(first) == index(second)


def test_a_base_path_is_in_the_addresses_of_the_files_and_not_in_the_index(tmp_path: Path) -> None:
    built = build_site(tmp_path, {**SITE, "site.yml": f"{FILES}url: https://x.example/deep/docs\n"})
    assert 'data-index="/deep/docs/_tp/search.json"' in built.text("docs/a.html")
    assert {row[0] for row in rows(built)} >= {"/docs/a", "/docs/"}


@pytest.mark.parametrize(("before_groups", "docs"), [(9, 8), (8, 4), (4, 3), (1, 1)])
def test_what_is_begun_while_pages_are_rendered_is_what_is_made_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before_groups: int, docs: int
) -> None:
    module = importlib.import_module("builder.search.shards")  # the package has a function of this name
    monkeypatch.setattr(module, "PAGES_BEFORE_GROUPS", before_groups)
    pages = {f"docs/p{number}.md": f"# P {number}\n\nword{number % 3} all\n" for number in range(5)}
    files = {"site.yml": FILES, **pages, "docs/in/a.md": "# A\n"}
    at_the_end = index(build_site(tmp_path / "a", files))
    out = tmp_path / "out"
    build(tmp_path / "a", FolderOutput(out), Options(cache="no"))
    search = [out / "_tp/search.json", *sorted(out.glob("_tp/search/*"))]
    assert {path.relative_to(out).as_posix(): path.read_text() for path in search} == at_the_end
    assert len(json.loads(at_the_end["_tp/search.json"])["docs"]) == docs


EVERY_TWIN = {**SITE, "site.yml": "title: T\n"}
OTHER_TWINS = {
    "docs/own.md": "# Own\n\n## Part\n\nText.\n",
    "docs/own.llms.md": "# Own\n\n## Part\n\nWritten by hand.\n",
    "docs/named.md": "---\ntitle: Another name\n---\n# Heading\n",
    "docs/under.md": "# U\n\nPart\n---\n\nText.\n",
}
"""Pages whose twins are written by hand, or lack what the search needs: the title, a heading, its anchor."""


def files_of(built: Built) -> list[str]:
    """Return the addresses of the pages that have a file of sections."""
    return sorted(str(row[0]) for row in rows(built))


def test_a_page_whose_twin_has_its_sections_has_no_file(tmp_path: Path) -> None:
    built = build_site(tmp_path, {**EVERY_TWIN, **OTHER_TWINS})
    entry = json.loads(built.text("_tp/search.json"))
    assert files_of(built) == ["/docs/a", "/docs/named", "/docs/own", "/docs/under"]
    assert "docs" not in entry
    assert built.output.get(f"_tp/{entry['script']}")
    assert entry["pages"].count(".") == 4


def test_a_site_can_have_a_file_for_each_page(tmp_path: Path) -> None:
    built = build_site(tmp_path, SITE)
    assert "pages" not in json.loads(built.text("_tp/search.json"))
    assert {"/docs/a", "/docs/b", "/docs/e", "/docs/in/d"} <= set(files_of(built))


def test_other_words_in_a_twin_make_another_entry(tmp_path: Path) -> None:
    one, other = (
        build_site(tmp_path / words, {"site.yml": "title: T\n", "docs/a.md": f"# A\n\n{words}.\n"})
        for words in ("red apples", "apples red")
    )
    assert index(one).keys() == index(other).keys()
    assert index(one)["_tp/search.json"] != index(other)["_tp/search.json"]


def test_an_edit_that_changes_where_a_page_has_its_sections_is_followed(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    files = {name: text for name, text in EVERY_TWIN.items() if name != "docs/a.mdx"}
    for name, text in {**files, "docs/under.md": "# U\n\n## Part\n\nText.\n"}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    build(site, FolderOutput(out))
    assert not [*out.glob("_tp/search/d*")]
    (site / "docs/under.md").write_text(OTHER_TWINS["docs/under.md"])
    build(site, FolderOutput(out))
    assert len([*out.glob("_tp/search/d*")]) == 1
    (site / "site.yml").write_text(FILES)
    build(site, FolderOutput(out))
    assert len([*out.glob("_tp/search/d*")]) > 3
    fresh = tmp_path / "fresh"
    build(site, FolderOutput(fresh), Options(cache="no"))
    searches = [{path.name: path.read_bytes() for path in at.glob("_tp/search/*")} for at in (out, fresh)]
    assert searches[0] == searches[1]
