"""Simple text is read at one look, and with the same result as by the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from builder.markdown.commonmark.budget import KEY, MAX_INLINE, Meter
from builder.markdown.commonmark.fast.inline_parser import DEAREST
from builder.markdown.commonmark.parser import base

PARTS = (
    *("word", "x1", " ", "  ", ". ", "(", ")", "!", "é", "\x1c", "\u00a0", "\n", " \n", "\\", "&amp;", "<b>"),
    *("*", "**", "***", "_", "__", "~~", "*a*", "**a b**", "_a_", "**a**b", "*a *", "a*b*", "(*a*)"),
    *("`", "``", "`a`", "` a `", "`  `", "`a\nb`", "`` ` ``", "[", "]", "[a](b)", "[a](b 'c')", "[^a](b)"),
    *(
        "[www.a.b](c)",
        "[a](https://b.c/d_e)",
        "![a](b.png)",
        "[[a](b)](c)",
        "[a]",
        "www.a.b/c",
        "https://a.b",
    ),
)
PARSER = base("md")


def children(text: str, meter: Meter) -> list[Token]:
    """The tokens of a text; empty ones are left over from marks."""
    found = PARSER.parseInline(text, {KEY: meter})[0].children or []
    return [token for token in found if token.type != "text" or token.content]


@pytest.mark.parametrize("text", PARTS)
def test_each_part_is_what_the_rules_make_of_it(text: str) -> None:
    check(f"A {text} b")


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=9).map("".join))
def test_parts_together_are_what_the_rules_make_of_them(text: str) -> None:
    check("word " * 4 + text)  # marks alone can cost more than is held ready for their length


def check(text: str) -> None:
    """A page that has little left leaves its text to the rules; both take the same of the budget."""
    plenty, little = Meter(), Meter(left=DEAREST * len(text))
    made, by_rules = children(text, plenty), children(text, little)
    assert little.left > 0, "the rules came to the end of the text"
    assert made == by_rules
    assert MAX_INLINE - plenty.left == DEAREST * len(text) - little.left
