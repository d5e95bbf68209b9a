"""The characters that a pattern can begin with: exact where it is simple, and never too few."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.code.first_characters import END, first

CASES = json.loads((Path(__file__).parent / "firstchars.json").read_text("utf-8"))
ANY = (1 << 128) - 1


def bits(chars: str) -> int:
    """`ALL` and the end of the text, or `ANY` without it, or `NOT x`, or characters; `$` is the end."""
    if chars in {"ALL", "ANY"}:
        return ANY | (END if chars == "ALL" else 0)
    if chars.startswith("NOT "):
        return ANY & ~bits(chars[4:])
    return sum(END if char == "$" else 1 << ord(char) for char in set(chars))


@pytest.mark.parametrize(("pattern", "flags", "chars"), CASES["chars"])
def test_what_a_pattern_can_begin_with(pattern: str, flags: int, chars: str) -> None:
    expected = bits(chars)
    assert first(re.compile(pattern, flags)) == expected


PARTS, GROUPS, REPEATS = (st.sampled_from(CASES[name]) for name in ("parts", "groups", "repeats"))


def grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.builds(str.__add__, parts, parts)
        | st.builds("{}|{}".format, parts, parts)
        | st.builds(str.format, GROUPS, parts)
        | st.builds("(?:{}){}".format, parts, REPEATS)
        | st.builds(r"({})?(?(1){}|a)\1*".format, parts, PARTS)
    )


PATTERNS = st.recursive(PARTS, grown, max_leaves=8)
FLAGS = st.sampled_from([0, re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII])
TEXTS = st.text(alphabet="aAbBkKiIsS\u212a\u0131\u0130\u017fé 0_#\n\x1c-", max_size=4)


@given(PATTERNS, FLAGS, FLAGS, TEXTS, st.integers(0, 3))
def test_what_matches_begins_with_one_of_them(pattern: str, one: int, other: int, text: str, at: int) -> None:
    try:
        compiled = re.compile(pattern, one | other)
    except re.error:
        return
    char = text[at : at + 1]
    if char.isascii() and compiled.match(text, at):
        assert first(compiled) & (1 << ord(char) if char else END)
