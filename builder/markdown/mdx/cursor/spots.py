"""The spot at which a block may begin, with all that a rule needs to look at it and to take it."""

from __future__ import annotations

import re

from msgspec import Struct

from builder.markdown.commonmark.parser_notes import notes
from builder.markdown.mdx.chunk.chunks import Chunk, Place, TwinPart
from builder.markdown.mdx.cursor.regions import Region
from builder.markdown.mdx.cursor.state import ChunkState, Within
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.mdx.scan.scanned_text import ScannedText
from builder.markdown.mdx.scan.tags import Tag
from components.base import Component

_EMPTY_LINES = re.compile(r"(?:[ \t]*\n)*(?=\n|\Z)|[ \t]*(?=\n)")
_BLANK_REST = re.compile(r"[ \t]*+(?:\n|\Z)")
_PLACED = frozenset({
    "alert_open", "code_block", "definition", "fence", "footnote_reference_open", "inline", "math_block",
})  # fmt: skip
"""Tokens whose place in the source is asked for later."""


class Spot(Struct, frozen=True):
    """The offset `start` of the region, on `line` of the state. All offsets are the region's."""

    state: ChunkState
    region: Region
    line: int
    start: int

    @property
    def scanned(self) -> ScannedText:
        """The text of the region, with what is known of it."""
        return self.region.scanned

    @property
    def text(self) -> str:
        """The text of the region."""
        return self.region.text

    def close_of(self, start: int) -> Span | None:
        """Return the end of the opening at `start`."""
        known = self.scanned.marks
        span = self.region.close_of(start)
        self.state.reading.marks += self.scanned.marks - known
        return span

    def closes(self, end: int) -> bool:
        """Return whether what reaches from the spot to `end` closes an opening."""
        known = self.scanned.marks
        closes = self.region.closes((self.start, end))
        self.state.reading.marks += self.scanned.marks - known
        return closes

    def alone(self, end: int) -> bool:
        """Return whether nothing follows `end` in its line."""
        return _BLANK_REST.match(self.text, end) is not None

    def after_blanks(self, end: int) -> int:
        """The end of the last of the empty lines after `end`, if these follow; else `end`."""
        found = _EMPTY_LINES.match(self.text, end)
        return found.end() if found else end

    def many_lines(self, end: int) -> bool:
        """Return whether the text up to `end` has several lines."""
        return self.text.find("\n", self.start, end) >= 0

    def place(self, offset: int) -> Place:
        """The place of `offset`."""
        return self.region.place(offset)

    def found(self, code: str, message: str, hint: str = "", at: int | None = None) -> None:
        """Give a diagnostic at the spot, or at another offset."""
        place = self.place(self.start if at is None else at)
        self.state.reading.found(place, code, message, hint)

    def edit(self, end: int, new: str | TwinPart = "") -> None:
        """In the twin, `new` stands as a block for what reaches from the spot to `end`."""
        self.state.chunk.edit(self.place(self.start).offset, self.place(end).offset, new, block=True)

    def drop(self, end: int, code: str, message: str, hint: str = "") -> int:
        """Leave out what reaches from the spot to `end`, the offset to go on from."""
        self.found(code, message, hint)
        self.edit(end)
        return end

    def running(self, start: int, end: int) -> Chunk | None:
        """The running text between two offsets, as a chunk of its own; None when there is none."""
        inner = self.text[start:end]
        bare = inner.strip()
        start += len(inner) - len(inner.lstrip())
        return self.region.part(start, start + len(bare)) if bare else None

    def children(self, content: Chunk, owner: str) -> None:
        """Parse a part of the region; `owner` is the tag of the component it belongs to."""
        state = self.state
        begin, noted = len(state.tokens), len(notes(state.env))
        within = Within(state.level, owner, state.depth + 1, self.region.outer or self.region)
        inner = ChunkState(content, state.md, state.env, state.tokens, within=within)
        inner.parse()
        state.reading.noted(noted, len(notes(state.env)), content)
        for token in state.tokens[begin:]:
            if token.type in _PLACED and "chunk" not in token.meta:
                token.meta["chunk"] = content
                if token.type == "fence" and token.level == inner.base and token.map:
                    (start, _), (_, end) = content.bounds(token.map[0]), content.bounds(token.map[1] - 1)
                    content.fences.append((start, end, token.info))


class SeenTag(Struct, frozen=True):
    """A tag of no component, as `meta["opening"]` of the first token that shows its texts."""

    tag: Tag
    spot: Spot


class ComponentOpening(Struct, frozen=True):
    """The begin of a component, as `meta["opening"]` of its first token; `tag` is None for an admonition."""

    component: Component
    spot: Spot
    tag: Tag | None = None
