"""The lines that a component can reach: those of the list item, quote or chunk it stands in.

A component ends with its container at the latest. The lines of a container, without the marks of quotes
around them, are one text, in which tags are paired once: what stands within a component is a chunk with a
region of its own, but it looks up its pairs where its component did. All that is found out about the text is
found out once, and only when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from markdown_it.rules_block import StateBlock
from msgspec import Struct

from builder.markdown.mdx.chunk.chunks import line_starts
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.ends import Ends
from builder.markdown.mdx.scan.pairs import Span, pairs
from builder.markdown.mdx.scan.tags import Tag, tag_at


class RegionText:
    """The text of a container or paragraph, its braces, ends and pairs."""

    __slots__ = ("_closings", "_pairs", "braces", "ends", "marks", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.braces = Braces(text)
        self.ends = Ends(text)
        self.marks = 0
        self._pairs: Mapping[int, Span | None] | None = None
        self._closings: frozenset[Span | None] | None = None

    @property
    def closes(self) -> Mapping[int, Span | None]:
        """The end of each opening; None for one that has none."""
        if self._pairs is None:
            self._pairs, self.marks = pairs(self.braces)
        return self._pairs

    @property
    def closings(self) -> frozenset[Span | None]:
        """The ends that belong to an opening."""
        if self._closings is None:
            self._closings = frozenset(self.closes.values())
        return self._closings

    def tag(self, start: int) -> Tag | None:
        """The tag at `start`."""
        return tag_at(self.braces, start)


class Share(Struct, frozen=True):
    """The position of a chunk in the region whose pairs it uses: `shift` lines down, to the offset `end`.

    Its last line is `last`; `tail` characters of the region's line follow it.
    """

    region: Region
    shift: int
    last: int
    tail: int
    end: int

    def up(self, line: int, from_end: int) -> int:
        """The offset in the region of a place that is `from_end` characters from the end of `line`."""
        tail = self.tail if line == self.last else 0
        return self.region.line_end(line + self.shift) - from_end - tail

    def down(self, offset: int) -> tuple[int, int]:
        """The line in the chunk, and how far from its end."""
        line = self.region.line_of(offset)
        mine = line - self.shift
        tail = self.tail if mine == self.last else 0
        return mine, self.region.line_end(line) - offset - tail


class Region(Struct, frozen=True):
    """The text of the lines from `first` to before `limit`; offsets are in it, places in the source."""

    first: int
    limit: int
    source: RegionText
    starts: list[int]
    share: Share | None = None

    @staticmethod
    def of(state: StateBlock, first: int, limit: int, share: Share | None = None) -> Region:
        """The region of these lines."""
        lines = [state.src[state.bMarks[line] : state.eMarks[line]] for line in range(first, limit)]
        text = "\n".join(lines)
        return Region(first, limit, RegionText(text), line_starts(text), share)

    def has(self, start: int) -> bool:
        """Return whether there is an opening at `start`, for all that is known."""
        return self._up(start) in (self.share.region if self.share else self).source.closes

    def close_of(self, start: int) -> Span | None:
        """Return the end of the opening at `start`."""
        if self.share is None:
            return self.source.closes.get(start)
        span = self.share.region.source.closes.get(self._up(start))
        return (self._down(span[0]), self._down(span[1])) if span and span[1] <= self.share.end else None

    def closes(self, span: Span) -> bool:
        """Return whether what reaches over `span` closes an opening."""
        source = self.share.region.source if self.share else self.source
        return (self._up(span[0]), self._up(span[1])) in source.closings

    def _up(self, offset: int) -> int:
        line = self.line_of(offset)
        return self.share.up(line, self.line_end(line) - offset) if self.share else offset

    def _down(self, offset: int) -> int:
        line, from_end = self.share.down(offset) if self.share else (0, 0)
        return self.line_end(line) - from_end

    def shared(self, line: int, last: int, tail: int, end: int) -> Share:
        """The share of a chunk in it whose lines begin with `line` here and that ends at the offset `end`.

        `last` is the chunk's last line, counted in the chunk.
        """
        if self.share is None:
            return Share(self, line, last, tail, end)
        outer = self.share
        more = outer.tail if line + last == outer.last else 0
        return Share(outer.region, outer.shift + line, last, tail + more, self._up(end))

    def offset(self, state: StateBlock, line: int, place: int) -> int:
        """The offset of a place on `line`."""
        return self.line_end(line) - (state.eMarks[line] - place)

    def place(self, state: StateBlock, offset: int) -> int:
        """The place of an offset."""
        line = self.line_of(offset)
        return state.eMarks[line] - (self.line_end(line) - offset)

    def line_of(self, offset: int) -> int:
        """The line that `offset` is in."""
        return self.first + bisect_right(self.starts, offset) - 1

    def line_end(self, line: int) -> int:
        """The offset where `line` ends."""
        index = line - self.first + 1
        return self.starts[index] - 1 if index < len(self.starts) else len(self.source.text)


def limit(state: StateBlock, line: int, end: int) -> int:
    """The line before which the container of `line` ends: the first that is not indented as its content."""
    following = line + 1
    while following < end:
        if state.sCount[following] < state.blkIndent and not state.isEmpty(following):
            break
        following += 1
    return following
