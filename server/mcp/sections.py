"""Sections of markdown: what stands below a heading, down to the next one that is as high."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_MARKS = re.compile(r"\\([^\w\s])|[*`]|(?<!\w)_|_(?!\w)")
_BLANK = " \t"
_MOST = 20_000
"""Headings of a text that are looked through: each is compared with what is asked for."""
_NO_WORD = re.compile(r"[^\w]+")


class Heading(Struct, frozen=True):
    """A heading of a text: its words without marks, its level from 1, and its line from 0."""

    text: str
    level: int
    line: int


def headings(lines: Sequence[str]) -> Iterator[Heading]:
    """The headings among the lines of markdown, without what only looks so in code."""
    fence = ""
    for place, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        elif (level := _level(line)) > 0:
            yield Heading(_words(line), level, place)


def _level(line: str) -> int:
    """The level of the heading that a line is, 0 for none."""
    text = line.lstrip(" ")
    rest = text.lstrip("#")
    level = len(text) - len(rest)
    is_one = len(line) - len(text) < 4 and level <= 6 and (not rest or rest[0] in _BLANK)
    return level if is_one else 0


def _words(line: str) -> str:
    """The words of a heading, without its marks. Takes time as the line is long, whatever stands in it."""
    text = line.strip().lstrip("#").strip(_BLANK)
    opened = text.rstrip("#")
    if opened != text and (not opened or opened[-1] in _BLANK):
        text = opened.rstrip(_BLANK)
    return _MARKS.sub(lambda found: found[1] or "", _LINK.sub(r"\1", text))


def section(text: str, wanted: str) -> str | None:
    """Return the section of a heading, given by its text or its anchor; None where there is none.

    Words of the one heading that has them all, in this order, will do: of an endpoint without its host.
    """
    lines = text.splitlines()
    found = list(islice(headings(lines), _MOST))
    first = _meant(found, wanted)
    if first is None:
        return None
    ends = (each.line for each in found if each.line > first.line and each.level <= first.level)
    return "\n".join(lines[first.line : next(ends, len(lines))]).strip() + "\n"


def _meant(found: Sequence[Heading], wanted: str) -> Heading | None:
    asked = _plain(wanted)
    if not asked:
        return None
    exact = [each for each in found if each.text.strip() == wanted.strip()]
    alike = exact or [each for each in found if _plain(each.text) == asked]
    if alike:
        return alike[0]
    having = [each for each in found if _has(_plain(each.text), asked)]
    if len(having) > 1:
        last = asked.rpartition("-")[2]
        having = [each for each in having if _plain(each.text).endswith(f"-{last}")]
    return having[0] if len(having) == 1 else None


def _has(text: str, words: str) -> bool:
    """Return whether a text has these words in their order; both are as `_plain` gives them."""
    left = iter(text.split("-"))
    return all(word in left for word in words.split("-"))


def _plain(text: str) -> str:
    """Text as an anchor has it: `#install-it` and `Install it` are one."""
    return _NO_WORD.sub("-", text.lower()).strip("-")
