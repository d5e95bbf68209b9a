"""The index of pages that change: it answers as one that is made anew, whatever was before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from builder.search import Part, listed
from builder.search.query import LiveIndex
from builder.search.query.live_index import PAGES

WORDS = ("apple", "pear", "plum", "quince", "cherry", "fig", "melon")


def part(number: int, word: str) -> Part:
    names = [*(WORDS[at % len(WORDS)] for at in range(number % 5)), word]
    return listed(f"/docs/p{number}", f"Page {number}", names)


def paths(index: LiveIndex, words: str) -> Sequence[str]:
    return sorted(hit.url for hit in index.search(words, 10_000))


@pytest.mark.parametrize("words", ["pear", "appl", "quinec", "page 30", "apple and fig", "!", "what is it"])
def test_changes_lead_to_the_same_as_a_new_index(words: str) -> None:
    parts = {f"docs/p{at}": part(at, WORDS[at % 7]) for at in range(2 * PAGES + 10)}
    index = LiveIndex()
    index.hold(dict(list(parts.items())[:PAGES]))
    index.hold(parts)
    parts |= {"docs/p30": part(30, "persimmon"), "docs/new": part(1000, "fig")}
    del parts["docs/p31"], parts[f"docs/p{PAGES + 1}"]
    index.hold(parts)
    fresh = LiveIndex()
    fresh.hold(parts)
    assert paths(index, words) == paths(fresh, words)
    assert paths(index, "persimmon") == ["docs/p30"]


def test_an_edit_makes_one_group_anew() -> None:
    parts = {f"docs/p{at}": part(at, "pear") for at in range(3 * PAGES)}
    index = LiveIndex()
    index.hold(parts)
    before = dict(index._groups)
    index.hold({**parts, "docs/p5": part(5, "plum")})
    assert [number for number, group in index._groups.items() if group is not before[number]] == [0]


def test_no_pages_have_no_hits() -> None:
    index = LiveIndex()
    assert index.search("pear", 5) == []
    index.hold({})
    assert index.search("pear", 5) == []
