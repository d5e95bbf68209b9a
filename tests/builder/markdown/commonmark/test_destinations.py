"""Destinations of links are read as markdown-it reads them, and in time that grows with the text alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it.helpers import parseLinkDestination

from builder.markdown.commonmark.parser import Helpers

PIECES = (*"ab/()\\ \n\t\x7f<>&;#ü", "&amp;", "\\(", "\\ ", "(" * 20, ")" * 20)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(TEXTS, st.integers(0, 5), st.integers(0, 70))
@example("(" * 33 + ")" * 33, 0, 70)
@example("(" * 32 + ")" * 32, 0, 70)
@example("a\\", 0, 2)
@example("a\\ b", 0, 4)
@example("a\\\nb)", 0, 5)
def test_destinations_are_those_of_markdown_it(text: str, start: int, end: int) -> None:
    end = min(end, len(text))
    found, expected = (Helpers.parseLinkDestination(text, start, end), parseLinkDestination(text, start, end))
    assert found.ok == expected.ok
    if expected.ok:
        assert (found.pos, found.str) == (expected.pos, expected.str)


@pytest.mark.parametrize("text", ["[a](/docs/nope" * 300, "[a](b(c" * 300, "[a](\\(" * 300])
def test_a_destination_that_nothing_closes_is_none(text: str) -> None:
    assert not Helpers.parseLinkDestination(text, text.index("(") + 1, len(text)).ok
