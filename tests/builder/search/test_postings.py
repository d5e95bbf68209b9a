"""Sections of terms on a site of which no more is gathered than its files will have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.search import listed, postings
from builder.search.postings import Gathering

WORDS = st.lists(st.sampled_from(["mango", "fig", "lime", "the"]), min_size=1, max_size=6)
PAGES = st.lists(st.lists(WORDS.map(" ".join), max_size=4), max_size=40)


@given(PAGES, st.integers(1, 3), st.integers(1, 5))
def test_long_lists_are_the_same_when_they_are_cut_early(
    pages: list[list[str]], longest: int, after: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "LONGEST_LIST", longest)
        patch.setattr(postings, "LONGEST_IDLE", longest)
        patch.setattr(postings, "PRUNED_AFTER", after)
        whole, pruned = Gathering(), Gathering(prunes=True)
        for number, headings in enumerate(pages):
            for gathering in (whole, pruned):
                gathering.add(listed(f"/{number}", f"Page {number}", headings))
        rows = {term: whole.row(term) for term in whole.found}
        assert {term: pruned.row(term) for term in pruned.found} == rows
        held = max(map(len, pruned.found.values()), default=0)
        most_between = sum(1 + len(headings) for headings in pages[-after:])
        assert held <= 4 * longest + most_between
