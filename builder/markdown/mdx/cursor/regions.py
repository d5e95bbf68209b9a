"""The lines that a component can reach: those of the list item, quote or chunk it stands in.

A component ends with its container at the latest. The lines of a container, without the marks of quotes
around them, are one text, in which tags are paired once: what stands within a component is a chunk with a
region of its own, but it looks up its pairs where its component did. The picture of these texts, and of one
place in each, is in builder/markdown/mdx/chunk/chunks.py.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from markdown_it.rules_block import StateBlock

from builder.markdown.mdx.chunk.chunks import Chunk, Lines, Place
from builder.markdown.mdx.dedent_children import dedent
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.mdx.scan.scanned_text import ScannedText
from components.registry import COMPONENTS


class Region(Lines, kw_only=True, eq=False):
    """The lines of one container in `chunk`, without the marks of quotes and lists before them.

    `outer` is the region around the chunk in which its pairs of tags were found already.
    """

    chunk: Chunk
    scanned: ScannedText
    outer: Region | None = None

    @staticmethod
    def of(
        chunk: Chunk,
        first: int,
        lines: Sequence[str],
        outer: Region | None = None,
        components: Container[str] = COMPONENTS,
        *,
        math: bool = False,
    ) -> Region:
        """The region of these lines; the first of them is of the chunk's line `first`."""
        text = "\n".join(lines)
        tail = chunk.tail if first + len(lines) == len(chunk.starts) else 0
        scanned = ScannedText(text, components, math=math)
        return Region(text, chunk.line + first, tail, chunk=chunk, scanned=scanned, outer=outer)

    def has(self, start: int) -> bool:
        """Return whether there is an opening at `start`, for all that is known."""
        return self._outside(start) in (self.outer or self).scanned.closes

    def close_of(self, start: int) -> Span | None:
        """Return the end of the opening at `start`."""
        span = (self.outer or self).scanned.closes.get(self._outside(start))
        if self.outer is None or span is None:
            return span
        end = self.outer.offset(*self.chunk.line_and_rest(len(self.chunk.text)))
        return self._inside(self.outer, span) if span[1] <= end else None

    def closes(self, span: Span) -> bool:
        """Return whether what reaches over `span` closes an opening."""
        return (self._outside(span[0]), self._outside(span[1])) in (self.outer or self).scanned.closings

    def _outside(self, offset: int) -> int:
        """The same offset in the region where pairs are looked up."""
        return self.outer.offset(*self.line_and_rest(offset)) if self.outer else offset

    def _inside(self, outer: Region, span: Span) -> Span:
        """The span in this region that is `span` in `outer`."""
        return self.offset(*outer.line_and_rest(span[0])), self.offset(*outer.line_and_rest(span[1]))

    def place(self, offset: int) -> Place:
        """Return the place of an offset."""
        return Place(self.chunk, self.chunk.offset(*self.line_and_rest(offset)))

    def offset_of(self, place: Place) -> int:
        """The offset of a place in the region's chunk."""
        return self.offset(*place.chunk.line_and_rest(place.offset))

    def part(self, start: int, end: int) -> Chunk:
        """Return the text between two offsets, without its indentation, as a chunk of its own."""
        (line, _), (_, tail) = self.line_and_rest(start), self.line_and_rest(end)
        return Chunk(dedent(self.text[start:end]), line, tail, body=self.chunk.body or self.chunk)

    def line_of(self, offset: int) -> int:
        """The chunk's line that `offset` is in."""
        return self.line - self.chunk.line + self.line_at(offset)

    def holds(self, line: int) -> bool:
        """Return whether the chunk's `line` is one of the lines."""
        return 0 <= self.chunk.line + line - self.line < len(self.starts)


def limit(state: StateBlock, line: int, end: int) -> int:
    """The line before which the container of `line` ends: the first that is not indented as its content."""
    following = line + 1
    while following < end:
        if state.sCount[following] < state.blkIndent and not state.isEmpty(following):
            break
        following += 1
    return following
