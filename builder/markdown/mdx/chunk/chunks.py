"""Texts that are parsed, where they stand in the file, and what becomes of them in the twin.

The body is a chunk; what stands within a component is a chunk of its own, without the indentation and the
marks of the quotes and lists around it. Lines of a chunk are the ends of lines of its parent, so a place is
told by how far it is from the end of its line.

    file              line and column, both from 1
     | Chunk.place
    chunk             an offset in `Chunk.text`; with its chunk, a `Place`
     |  | Places.offset
     | paragraph      an offset in the text of an inline token: tags and marks in running text
     | Spot.place
    region            an offset in the lines of one container: tags and `:::` at the start of a line
     | Share
    outer region      that of the component around it, where pairs of tags are looked up

Rules for blocks count in regions, rules for running text in paragraphs. What is kept for later (findings,
edits) counts in chunks.

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


class Chunk(Struct, eq=False):
    """A text and its place: `line` is where its first line stands in the parent (from 0) or file (from 1).

    `tail` characters of the parent's line follow the chunk's last line. `fences` are the lines of the code
    blocks that stand in it directly, each with its info string.
    """

    text: str
    line: int
    parent: Chunk | None = None
    tail: int = 0
    edits: list[Edit] = field(default_factory=list)
    fences: list[tuple[int, int, str]] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def edit(self, start: int, end: int, new: str | TwinPart = "", *, block: bool = False) -> None:
        """In the twin, `new` stands for what is between `start` and `end`."""
        self.edits.append(Edit(start, end, new, block))

    def starts(self) -> list[int]:
        """Return the offset at which each line begins."""
        if not self._starts:
            self._starts = line_starts(self.text)
        return self._starts

    def line_at(self, offset: int) -> int:
        """The number of the line that `offset` is in, from 0."""
        return bisect_right(self.starts(), offset) - 1

    def bounds(self, line: int) -> tuple[int, int]:
        """Return the offsets at which a line begins and ends, its line end not included."""
        starts = self.starts()
        end = starts[line + 1] - 1 if line + 1 < len(starts) else len(self.text)
        return starts[line], end

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in the file, both from 1."""
        line = self.line_at(offset)
        start, end = self.bounds(line)
        if self.parent is None:
            return self.line + line, offset - start + 1
        last = line == len(self.starts()) - 1
        begin, stop = self.parent.bounds(self.line + line)
        return self.parent.place(max(begin, stop - (end - offset) - (self.tail if last else 0)))


Place = tuple[Chunk, int]
"""A chunk and an offset in it."""


class TwinPart(Struct, frozen=True):
    """The stand-in for a component's source in a chunk. Without a component, its content alone is shown.

    `direct` tells whether it is a child of the chunk's own component, and not within a list or quote.
    `notice` is shown instead, where the plan does not have the component.
    """

    component: Component | None
    content: Chunk | None
    direct: bool
    title: Chunk | None = None
    notice: str = ""


class Edit(Struct, frozen=True):
    """A change: `new` for the text from `start` to `end`. A `block` stands on lines of its own."""

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
