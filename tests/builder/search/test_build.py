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

SITE = {
    "site.yml": "title: T\n",
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
    found = rows(build_site(tmp_path, {"site.yml": "title: T\n", "docs/index.md": NOTED}))
    assert [section for row in found for section in row[2]] == [["", "", "N A word and more. Said there."]]


def test_the_way_back_from_a_footnote_is_not_in_the_text(tmp_path: Path) -> None:
    page = "# N\n\nA word[^1].\n\n## Second\n\nMore.\n\n[^1]: Said.\n"
    found = rows(build_site(tmp_path, {"site.yml": "title: T\n", "docs/index.md": page}))
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
    built = build_site(tmp_path, {**SITE, "site.yml": "title: T\nurl: https://x.example/deep/docs\n"})
    assert 'data-index="/deep/docs/_tp/search.json"' in built.text("docs/a.html")
    assert {row[0] for row in rows(built)} >= {"/docs/a", "/docs/"}


@pytest.mark.parametrize(("before_groups", "docs"), [(9, 8), (8, 4), (4, 3), (1, 1)])
def test_what_is_begun_while_pages_are_rendered_is_what_is_made_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before_groups: int, docs: int
) -> None:
    module = importlib.import_module("builder.search.shards")  # the package has a function of this name
    monkeypatch.setattr(module, "PAGES_BEFORE_GROUPS", before_groups)
    pages = {f"docs/p{number}.md": f"# P {number}\n\nword{number % 3} all\n" for number in range(5)}
    files = {"site.yml": "title: T\n", **pages, "docs/in/a.md": "# A\n"}
    at_the_end = index(build_site(tmp_path / "a", files))
    out = tmp_path / "out"
    build(tmp_path / "a", FolderOutput(out), Options(cache="no"))
    search = [out / "_tp/search.json", *sorted(out.glob("_tp/search/*"))]
    assert {path.relative_to(out).as_posix(): path.read_text() for path in search} == at_the_end
    assert len(json.loads(at_the_end["_tp/search.json"])["docs"]) == docs
