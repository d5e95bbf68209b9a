"""The lines that a component can reach: those of the list item, quote or chunk it stands in.

A component ends with its container at the latest. The lines of a container, without the marks of quotes
around them, are one text, in which tags are paired once for all components in it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from markdown_it.rules_block import StateBlock

from builder.markup.chunks import line_starts
from builder.markup.sources import Source


@dataclass(frozen=True, slots=True)
class Region:
    """The text of the lines from `first` to before `limit`; offsets are in it, places in the state's source."""

    first: int
    limit: int
    source: Source
    starts: list[int]

    @staticmethod
    def of(state: StateBlock, first: int, limit: int) -> Region:
        """The region of these lines."""
        lines = [state.src[state.bMarks[line] : state.eMarks[line]] for line in range(first, limit)]
        text = "\n".join(lines)
        return Region(first, limit, Source(text), line_starts(text))

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
