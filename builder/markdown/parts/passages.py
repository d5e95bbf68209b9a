"""Passages: parts of origins that are to be expanded, and the lines that they stand in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.markdown.mdx.cursor.reading import DEEPEST
from builder.markdown.mdx.dedent_children import width
from builder.markdown.parts.constructs import Construct, lead
from builder.markdown.parts.source_map import Origin

_EMPTY_LINES = re.compile(r"(?:[ \t]*+\n)*")
_QUOTE = re.compile(r"[ \t]*>[ ]?")


class Cut(Struct, frozen=True):
    """The beginning of each line that stays behind: so many marks of quotes, and so many columns."""

    quotes: int
    columns: int


class Passage(Struct, frozen=True, eq=False):
    """A text to be expanded, from `start` to `end`, as a whole origin or as the content of a slot.

    `variables` are None where braces are what they ever were. `slots` are what its own slots are filled with,
    None where it has none. `files` are those that it stands within. Constructs that begin at `left_out` go.
    """

    origin: Origin
    found: list[Construct]
    start: int
    end: int
    variables: Mapping[str, str] | None
    slots: Mapping[str, Passage] | None
    files: tuple[str, ...]
    filled: set[str]
    cut: Cut | None = None
    left_out: frozenset[int] = frozenset()


def begun(passage: Passage, start: int) -> str:
    """The marks of quotes and lists before `start` in its line, without what is cut off."""
    text, cut = passage.origin.text, passage.cut
    begin = text.rfind("\n", 0, start) + 1
    marks = lead(text, begin, start)
    if cut is None:
        return marks
    return marks[min(len(marks), after_cut(text, begin, start, cut) - begin) :]


def inner_passage(around: Passage, start: int, end: int) -> Passage:
    """A part of a passage without the indentation that its lines share."""
    text = around.origin.text
    blank = _EMPTY_LINES.match(text, start, end)
    start = blank.end() if blank else start
    end = start + len(text[start:end].rstrip())
    begin = text.rfind("\n", 0, start) + 1
    quotes = min(lead(text, begin, start).count(">"), DEEPEST)
    lines = text[start:end].split("\n")
    counted = lines if begin == start else lines[1:]
    columns = [width(_unquoted(line, quotes)) for line in counted if line.strip(" \t>")]
    cut = Cut(quotes, min(columns, default=0))
    return replace(around, start=start, end=end, cut=cut, left_out=frozenset())


def _unquoted(line: str, quotes: int) -> str:
    for _ in range(quotes):
        line = _QUOTE.sub("", line, count=1)
    return line


def after_cut(text: str, start: int, end: int, cut: Cut) -> int:
    """The offset after what is cut off a line."""
    for _ in range(cut.quotes):
        quote = _QUOTE.match(text, start, end)
        start = quote.end() if quote else start
    return start + blanks(text, start, end, cut.columns)


def blanks(text: str, start: int, end: int, columns: int) -> int:
    """Count the blanks and tabs from `start` on that take so many columns at most."""
    column, pos = 0, start
    while pos < end and text[pos] in " \t":
        column += 4 - column % 4 if text[pos] == "\t" else 1
        if column > columns:
            break
        pos += 1
    return pos - start


def needs_gap(text: str, begin: int, first: int) -> bool:
    """Return whether the line before has text that would run on into what follows."""
    before = text[text.rfind("\n", 0, max(0, begin - 1)) + 1 : max(0, begin - 1)]
    return begin > first and bool(before.strip(" \t>"))


def is_text(text: str, end: int, last: int) -> bool:
    """Return whether the line after the one of `end` has text."""
    begin = text.find("\n", end, last) + 1
    stop = text.find("\n", begin, last)
    return begin > 0 and bool(text[begin : stop if stop >= 0 else last].strip(" \t>"))
