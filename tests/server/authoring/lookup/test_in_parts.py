"""Sites with more pages than there is time for, answered in parts; and records that stay right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.plan.options import Options
from builder.produce.check_site import check_site
from builder.review import Review
from builder.store import ContentStore
from server.authoring.lookup.lookup_structs import SiteFinding
from server.authoring.lookup.site_findings import FindingPlace, FindingsQuestion
from server.authoring.lookup.site_search import FoundPages, SearchQuestion
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nnonsense: 1\nextras: [includes]\nvariables: {name: Harbour}\n",
    "docs/a.md": "# A\n\nA pear. [none](none.md)\n",
    "docs/b.mdx": "# B\n\n<Stepz />\n\n[a](a.md#no)\n\n%{name}\n",
    "docs/c.md": "# C\n\nPears, pears. [none](none.md) [b](b.mdx)\n",
    "docs/d.mdx": '---\ndraft: true\n---\n# D\n\nA pear. \n\n<Include src="./_part.mdx" />\n',
    "docs/_part.mdx": "Included plums.\n",
    "docs/e.md": "# E\n\n[d](d.mdx) [none](none.md)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_site(tmp_path, SITE)


@pytest.fixture
def review(root: Path) -> Iterator[Review]:
    with ContentStore(root) as store:
        yield Review(root, store)


def search(review: Review, words: str, seconds: float = 0.0) -> FoundPages:
    return SearchQuestion(words, 10, 0, seconds).answer(review, review.site())


def checked(review: Review) -> list[tuple[str, int, int, str, str]]:
    found = FindingsQuestion("", "", "", 500, seconds=60).answer(review, review.site())
    return [place(one) for one in found.findings]


def place(one: SiteFinding) -> tuple[str, int, int, str, str]:
    return one.file, one.line, one.column, one.code, one.message


def expected(root: Path) -> list[tuple[str, int, int, str, str]]:
    found = check_site(root, Options()).diagnostics
    return [(one.file, one.line, one.column, one.code, one.message) for one in found]


def test_pages_that_are_not_indexed_yet_are_found_by_their_text(review: Review) -> None:
    first = search(review, "pears")
    assert (first.indexed, first.pages) == (1, 5)
    assert {hit.path for hit in first.hits} == {"docs/a", "docs/c", "docs/d"}
    for indexed in (2, 3, 4, 5, 5):
        assert search(review, "pears").indexed == indexed
    assert {hit.path for hit in search(review, "pears").hits} == {"docs/a", "docs/c", "docs/d"}


def test_diagnostics_in_parts_are_all_of_them_but_for_places_on_other_pages(
    root: Path, review: Review
) -> None:
    found: list[SiteFinding] = []
    after = None
    for _ in range(100):
        answer = FindingsQuestion("", "", "", 1, after, 0.0).answer(review, review.site())
        found += answer.findings
        after = answer.place
        if after is None:
            break
    assert (answer.checked, answer.pages) == (5, 5)
    parts = [place(one) for one in found]
    assert parts == [one for one in expected(root) if one in parts]
    assert {one[3] for one in set(expected(root)) - set(parts)} <= {"broken-anchor"}
    assert checked(review) == expected(root)


def test_a_process_that_is_started_anew_goes_on_where_the_cursor_was(root: Path, review: Review) -> None:
    after = FindingPlace("docs/c.md", 1)
    answer = FindingsQuestion("", "", "", 500, after, 0.0).answer(review, review.site())
    assert (answer.findings, answer.checked, answer.place) == ([], 1, after)
    answer = FindingsQuestion("", "", "", 500, after, 60).answer(review, review.site())
    assert [place(one) for one in answer.findings] == [
        one for one in expected(root) if one > ("docs/c.md", 1)
    ]


CHANGES = (
    {"docs/none.md": "# None\n"},
    {"docs/d.mdx": "# D\n\nPublished.\n"},
    {"docs/a.md": "# A\n\n## No {#no}\n"},
    {"site.yml": "title: T\nextras: [includes]\nvariables: {name: Pier}\n"},
    {"site.yml": "title: T\n"},
    {"docs/_part.mdx": "<Stepz />\n"},
    {"docs/c.md": "---\ndraft: true\n---\n# C\n"},
    {"docs/_category_.yml": "label: [x]\n"},
    {"sidebar.yml": "- a\n- nothing\n"},
)


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_after_a_change_all_is_as_in_a_new_check(root: Path, review: Review, change: dict[str, str]) -> None:
    assert checked(review) == expected(root)
    write_site(root, change)
    assert checked(review) == expected(root)
    search(review, "pears", 60)
    assert checked(review) == expected(root)


def test_what_a_page_includes_is_searched_as_it_is_now(root: Path, review: Review) -> None:
    assert [hit.path for hit in search(review, "plums", 60).hits] == ["docs/d"]
    write_site(root, {"docs/_part.mdx": "Included quinces.\n"})
    assert [hit.path for hit in search(review, "quinces", 60).hits] == ["docs/d"]
    assert search(review, "plums", 60).hits == []


def test_a_page_that_is_gone_is_not_found(root: Path, review: Review) -> None:
    assert search(review, "pear", 60).pages == 5
    (root / "docs/a.md").unlink()
    found = search(review, "pear", 60)
    assert found.pages == 4
    assert "docs/a" not in {hit.path for hit in found.hits}
