"""The search of a built site: what it finds, in the files that a site has, and when it is built anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from builder.search.query import IndexMissing, SearchIndex
from builder.search.query.index_files import KeptFiles
from tests.sites import Built, build_site

SITE = {
    "site.yml": "title: T\n",
    "docs/index.md": "# Start\n\nWelcome.\n",
    "docs/fruit.md": "# Apples\n\nRed.\n\n## Pears\n\nGreen pears hang <b>high</b>. Set `TWINPRESS_DATA`.\n",
    "docs/flags.md": "# Flags\n\nRun with `--strict` to fail.\n",
    "docs/hidden.md": "---\ndraft: true\n---\n# Secret quinces\n",
}
HOSTILE = (
    "x" * 100_000, "\x00\x1b[31m", "(a+)+$", "[", "\\", "🍐" * 300, "\ud800", "../../site.yml", "' OR 1=1 --",
    "constructor __proto__", "a " * 5_000, "-" * 5_000, "́" * 3_000, "%s %d {0}",
)  # fmt: skip


def reading(built: Built) -> Callable[[str], bytes | None]:
    return built.output.get


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return SearchIndex(reading(build_site(tmp_path_factory.mktemp("site"), SITE)))


def test_a_hit_leads_to_a_section_with_its_words(index: SearchIndex) -> None:
    hit = index.search("green pear")[0]
    assert (hit.url, hit.title, hit.section, hit.anchor) == ("/docs/fruit", "Apples", "Pears", "pears")
    assert hit.excerpt == "Green pears hang high. Set TWINPRESS_DATA."


@pytest.mark.parametrize(("words", "url"), [("TWINPRESS_DATA", "/docs/fruit"), ("--strict", "/docs/flags")])
def test_exact_identifiers_are_found(index: SearchIndex, words: str, url: str) -> None:
    assert index.search(words)[0].url == url


def test_a_typing_error_is_forgiven(index: SearchIndex) -> None:
    assert index.search("aplpes")[0].url == "/docs/fruit"


def test_drafts_are_not_found(index: SearchIndex) -> None:
    assert index.search("quinces") == []


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_any_words_are_answered(index: SearchIndex, words: str) -> None:
    assert len(index.search(words, 3)) <= 3


def test_pages_of_results_are_parts_of_one_list(tmp_path: Path) -> None:
    pages = {f"docs/p{at}.md": f"# Page {at}\n\nA pear{' pear' * at}.\n" for at in range(20)}
    index = SearchIndex(reading(build_site(tmp_path, {"site.yml": "title: T\n", **pages})))
    every = [hit.url for hit in index.search("pear", 50)]
    assert len(every) == 20
    assert [hit.url for at in range(0, 20, 7) for hit in index.search("pear", 7, at)] == every
    assert index.search("pear", 5, 100) == index.search("pear", 0) == []


def test_a_site_that_is_built_anew_is_searched_anew(tmp_path: Path) -> None:
    built = [build_site(tmp_path / "old", SITE)]

    def read(name: str) -> bytes | None:
        return built[0].output.get(name)

    index = SearchIndex(read)
    assert index.search("pears")
    built[0] = build_site(tmp_path / "new", {**SITE, "docs/fruit.md": "# Plums\n"})
    assert [hit.title for hit in index.search("plums")] == ["Plums"]
    assert index.search("pears") == []


def test_files_that_change_under_a_search_are_asked_for_once_more(tmp_path: Path) -> None:
    old, new = (
        reading(build_site(tmp_path / name, {**SITE, "docs/new.md": f"# {name}\n"}))
        for name in ("old", "new")
    )
    asked: list[str] = []

    def read(name: str) -> bytes | None:
        asked.append(name)
        return (old if asked == ["_tp/search.json"] else new)(name)

    assert SearchIndex(read).search("pears")[0].url == "/docs/fruit"
    assert asked.count("_tp/search.json") == 2


@pytest.mark.parametrize("entry", [None, b"", b"{}", b'{"n":1}', b"\xff"])
def test_a_site_without_an_index_says_so(entry: bytes | None) -> None:
    with pytest.raises(IndexMissing, match=r"search\.json"):
        SearchIndex(lambda _: entry).search("pears")


def test_a_missing_file_of_terms_is_told(tmp_path: Path) -> None:
    read = reading(build_site(tmp_path, SITE))
    with pytest.raises(IndexMissing, match="search/t"):
        SearchIndex(lambda name: None if "/t" in name else read(name)).search("pears")


def test_no_more_is_kept_than_allowed() -> None:
    read: list[str] = []
    files = KeptFiles(lambda name: read.append(name) or b"x" * 10, 25)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert files.get(name, len) == 10
    assert read == ["a", "b", "c", "b"]
