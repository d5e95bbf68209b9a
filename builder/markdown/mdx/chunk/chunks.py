"""Texts that are parsed, places in them, and what becomes of them in the twin.

    1  ---
    2  title: Cards
    3  ---
    4  > <Card>
    5  >   Read <b>this</b> and
    6  >   [that](/x)</Card>

The body of this file is a chunk. What a component holds is a chunk of its own, without the indentation and
the marks of quotes and lists around it. Rules for blocks look at a region, the lines of one container; rules
for running text look at a paragraph. So line 6 is in four texts, and `/x` has an offset in each:

    file         >   [that](/x)</Card>    line 6, column 12    `Place.position`
    body         >   [that](/x)</Card>    `Place(body, 45)`    a `Chunk`, from line 4 on
    quote            [that](/x)</Card>    offset 39            a `Region`; its `place` is the one above
    children         [that](/x)           `Place(card, 29)`    a `Chunk`, from line 4 on, with a tail of 7
    paragraph        [that](/x)           offset 28            a token; `Places.place` is the one above

Only beginnings of lines and the end of a last line go, so in all `Lines` (chunks and regions) a place is told
by its line in the file and by how far it is from the end of that line: here 6 and 10, the tail included. A
paragraph has lost more, so its offsets are worked out by looking (builder/markdown/mdx/chunk/places.py).

Lines of the file count from 1; lines of a text, as in the parser's states and tokens, from 0. The rules, and
the tags and marks that they find, count offsets in the text they look at. What is kept for later (findings,
edits) has places in chunks.

A chunk is markdown already, but for what its edits change: tags, expressions, link targets. Whoever changes
or drops something writes an edit, and the twin is the text with the edits made.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from markdown_it.token import Token
from msgspec import Struct, field

from components.base import Component

PREFIX = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:))*[ \t]*")
"""Marks of quotes, lists and footnotes at the beginning of a line, with the blanks around them."""


class Lines(Struct, eq=False):
    """A text of lines, each the end of a line of the file, from the file's line `line` on.

    `tail` characters follow the last one in its line of the file. Each line begins at one of the `starts`.
    """

    text: str
    line: int
    tail: int = 0
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look for the lines."""
        self.starts = line_starts(self.text)

    def line_at(self, offset: int) -> int:
        """The line of the text, from 0, that `offset` is in."""
        return bisect_right(self.starts, offset) - 1

    def bounds(self, line: int) -> tuple[int, int]:
        """Return the offsets at which a line of the text begins and ends, its line end not included."""
        starts = self.starts
        end = starts[line + 1] - 1 if line + 1 < len(starts) else len(self.text)
        return starts[line], end

    def line_and_rest(self, offset: int) -> tuple[int, int]:
        """Return the file's line that `offset` is in, and how far it is from the end of that line."""
        number = bisect_right(self.starts, offset) - 1
        return self.line + number, self._line_end(number) - offset

    def offset(self, line: int, rest: int) -> int:
        """Return the offset that is so far from the end of a line of the file."""
        return self._line_end(line - self.line) - rest

    def _line_end(self, number: int) -> int:
        """The offset at which the file's line ends; behind the text's own end, when a tail follows that."""
        starts = self.starts
        return starts[number + 1] - 1 if number + 1 < len(starts) else len(self.text) + self.tail


class Chunk(Lines, kw_only=True, eq=False):
    """A text that is parsed: a `body`, or lines of one.

    `fences` are the code blocks that stand in it directly, each from offset to offset, with its info string.
    """

    body: Chunk | None = None
    edits: list[Edit] = field(default_factory=list)
    fences: list[tuple[int, int, str]] = field(default_factory=list)

    def edit(self, start: int, end: int, new: str | TwinPart = "", *, block: bool = False) -> None:
        """In the twin, `new` stands for what is between `start` and `end`."""
        self.edits.append(Edit(start, end, new, block))


class Place(Struct, frozen=True):
    """An offset in the text of a chunk."""

    chunk: Chunk
    offset: int

    def position(self) -> tuple[int, int]:
        """Line and column in the file, both from 1."""
        line, rest = self.chunk.line_and_rest(self.offset)
        body = self.chunk.body or self.chunk
        begin, _ = body.bounds(line - body.line)
        return line, max(0, body.offset(line, rest) - begin) + 1


class TwinPart(Struct, frozen=True):
    """The stand-in for a component's source in a chunk. Without a component, its content alone is shown.

    `direct` tells whether it is a child of the chunk's own component, and not within a list or quote.
    `notice` is shown before the content: the notice in place of a component that the plan does not have, or
    the texts in the tag of one that nobody knows.
    """

    component: Component | None
    content: Chunk | None
    direct: bool
    title: Chunk | None = None
    notice: str = ""


class Edit(Struct, frozen=True):
    """A change of a chunk: `new` for its text from `start` to `end`. A `block` stands on lines of its own."""

    start: int
    end: int
    new: str | TwinPart
    block: bool


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line of `text` begins."""
    starts, pos = [0], text.find("\n")
    while pos >= 0:
        starts.append(pos + 1)
        pos = text.find("\n", pos + 1)
    return starts


def chunk_of(token: Token, body: Chunk) -> Chunk:
    """The chunk that a token was parsed from: its own, or else the body."""
    found: Chunk = token.meta.get("chunk", body)
    return found
