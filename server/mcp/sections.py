"""Sections of markdown: what stands below a heading, down to the next one that is as high."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKS = re.compile(r"[*`]|\\(?=[^\w\s])|(?<!\w)_|_(?!\w)|\[(?=[^\]]*\]\()|\]\([^)]*\)")
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
        elif found := _HEADING.fullmatch(line):
            yield Heading(_MARKS.sub("", found[2] or ""), len(found[1]), place)


def section(text: str, wanted: str) -> str | None:
    """Return the section of a heading, given by its text or its anchor; None where there is none."""
    lines = text.splitlines()
    found = list(headings(lines))
    first = next((each for each in found if each.text.strip() == wanted.strip()), None)
    first = first or next((each for each in found if _plain(each.text) == _plain(wanted)), None)
    if first is None or not _plain(wanted):
        return None
    ends = (each.line for each in found if each.line > first.line and each.level <= first.level)
    return "\n".join(lines[first.line : next(ends, len(lines))]).strip() + "\n"


def _plain(text: str) -> str:
    """Text as an anchor has it: `#install-it` and `Install it` are one."""
    return _NO_WORD.sub("-", text.lower()).strip("-")
