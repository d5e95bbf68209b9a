"""The page of a folder that has none of its own says in its head what it lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

LISTS = [
    (["One", "Two"], "Guide: One, Two"),
    (["One & <b>", "Two"], "Guide: One &amp; &lt;b&gt;, Two"),
    ([f"Page number {number}" for number in range(10)], None),
    (["A very long name of a page " * 8], "Guide"),
]


@pytest.mark.parametrize(("titles", "description"), LISTS)
def test_a_list_is_described_by_what_it_lists(
    tmp_path: Path, titles: list[str], description: str | None
) -> None:
    pages = {
        f"docs/guide/p{number}.md": f"---\ntitle: '{title}'\nsidebar_position: {number}\n---\n"
        for number, title in enumerate(titles)
    }
    head = build_site(tmp_path, pages).text("docs/guide/index.html")
    found = head.partition('<meta name="description" content="')[2].partition('"')[0]
    if description is None:
        assert found.startswith("Guide: Page number 0, Page number 1, ")
        assert found.endswith(" …")
        assert len(found) <= 152
    else:
        assert found == description
