"""Part a page of another system: code, comments, tags, expressions, statements; the rest is text.

They are found by the scanner of `mdx` (`builder.markdown.mdx.scan`), which knows fences, code spans, nested
tags and braces in attributes. In plain markdown braces and `import` are text. `ElementTree` has which tag
stands in which.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from typing import Literal

from msgspec import Struct, field

from builder.markdown.mdx import elements
from builder.markdown.mdx.chunk.chunks import line_starts
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.javascript import statement_end
from builder.markdown.mdx.scan.pairs import Span, pairs
from builder.markdown.mdx.scan.skips import MARK, Skips
from builder.markdown.mdx.scan.tags import Tag, tag_at

Sort = Literal["fence", "code", "comment", "tag", "expression", "escape", "statement"]

_DEEPEST = 50
"""Elements round a tag that are looked at."""
_STATEMENT = re.compile(r"^(?:import|export)\b", re.MULTILINE)
_BLANK_BEFORE = re.compile(r"(?:\A|\n[ \t]*\n|\A[ \t\n]*\n|--> *\n)\Z")


class SourcePiece(Struct, frozen=True):
    """A piece from `start` to `end`. A tag that opens may have its closing one at `close`."""

    sort: Sort
    start: int
    end: int
    tag: Tag | None = None
    close: Span | None = None

    @property
    def whole(self) -> Span:
        """From the beginning to the end, that of the closing tag where there is one."""
        return self.start, self.close[1] if self.close else self.end


class _AnyName(Container[str]):
    """All names of components: which of them there are is not known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name[:1].isupper()


class SourceText(Struct):
    """The text of a page's body and its pieces, in order; those within an element follow its tag."""

    text: str
    pieces: list[SourcePiece] = field(default_factory=list)
    _lines: Sequence[int] = ()

    @staticmethod
    def of(text: str, *, is_mdx: bool) -> SourceText:
        """Part a text. Total."""
        fences = (
            [piece for piece in _walk(text, (), is_mdx=is_mdx) if piece.sort == "fence"] if is_mdx else []
        )
        statements = list(_statements(text, fences)) if is_mdx else []
        found = sorted((*_walk(text, statements, is_mdx=is_mdx), *statements), key=lambda one: one.start)
        return SourceText(text, found, line_starts(text))

    def line(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return bisect_right(self._lines, offset)

    def texts(self, start: int = 0, end: int | None = None) -> Iterator[Span]:
        """Yield what lies between the pieces: text, with markdown's own signs."""
        pos, end = start, len(self.text) if end is None else end
        for piece in self.pieces:
            if piece.start >= end:
                break
            if piece.start > pos:
                yield pos, piece.start
            pos = max(pos, piece.end)
        if pos < end:
            yield pos, end


def _statements(text: str, fences: Sequence[SourcePiece]) -> Iterator[SourcePiece]:
    """Yield the statements: each fills lines that begin after an empty one, or after another statement."""
    braces, end = Braces(text), 0
    starts = [fence.start for fence in fences]
    for found in _STATEMENT.finditer(text):
        start = found.start()
        before = bisect_right(starts, start) - 1
        if before >= 0 and start < fences[before].end:
            continue
        if start < end or not (start == end or _BLANK_BEFORE.search(text[max(0, start - 200) : start])):
            continue
        after = statement_end(braces, start)
        if after > 0:
            end = after
            yield SourcePiece("statement", start, after)


def _walk(text: str, statements: Sequence[SourcePiece], *, is_mdx: bool) -> Iterator[SourcePiece]:
    braces = Braces(text)
    skips, names, pos = Skips(braces), _AnyName(), 0
    closes, _ = pairs(braces, names)
    ends = {piece.start: piece.end for piece in statements}
    starts = sorted(ends)
    while found := MARK.search(text, pos):
        start, sign = found.start(), found[0]
        number = bisect_right(starts, start) - 1
        if number >= 0 and start < ends[starts[number]]:
            pos = ends[starts[number]]
            continue
        if sign[0] == "<" and sign != "<!--":
            tag = tag_at(braces, start, names)
            pos = start + 1 if tag is None else tag.end
            if tag is not None:
                is_hidden = tag.kind == "open" and elements.canonical(tag.name) in elements.HIDDEN
                pos = max(skips.ends.hidden(tag), tag.end) if is_hidden else tag.end
                yield SourcePiece("tag", start, pos, tag, closes.get(start))
            continue
        if sign == "{" and not is_mdx:
            pos = found.end()
            continue
        after = skips.after(found)
        pos = after if after >= 0 else found.end()
        sort = _sort(text, found, pos, at_line=skips.at_line_start(start))
        if sort is not None:
            yield SourcePiece(sort, start, pos)


def _sort(text: str, found: re.Match[str], end: int, *, at_line: bool) -> Sort | None:
    """Name what the mark begins; None for a mark that begins nothing."""
    sign = found[0]
    if sign[0] == "\\":
        return "escape"
    if end <= found.end():
        return None
    if sign[0] in "`~":
        return "fence" if at_line and len(sign) >= 3 and "\n" in text[found.start() : end] else "code"
    if sign == "<!--":
        return "comment"
    if sign == "{":
        is_comment = re.fullmatch(r"\{\s*/\*.*\*/\s*\}", text[found.start() : end], re.DOTALL)
        return "comment" if is_comment else "expression"
    return None


class ElementTree:
    """The tags of a text, and which element stands in which.

    `nesting` are names whose elements are written deeper the more of them are in one another.
    """

    def __init__(self, source: SourceText, nesting: Container[str]) -> None:
        self.tags = [piece for piece in source.pieces if piece.sort == "tag"]
        self._text = source.text
        self._nesting = nesting
        self._parents: dict[int, SourcePiece] = {}
        self._children: dict[int, list[SourcePiece]] = {}
        self._depths: dict[int, int] = {}
        self._read()

    def within(self, piece: SourcePiece) -> Sequence[SourcePiece]:
        """Return the tags that stand directly in an element."""
        return self._children.get(piece.start, ())

    def depth(self, piece: SourcePiece) -> int:
        """Return how deep the elements that nest stand in one another within an element."""
        return self._depths.get(piece.start, 0)

    def siblings(self, names: Container[str]) -> Iterator[list[SourcePiece]]:
        """Yield elements of these names that follow one another directly, at each depth."""
        runs: dict[int, list[SourcePiece]] = {}
        for piece in self.tags:
            if piece.tag is None or piece.tag.kind == "close" or piece.tag.name not in names:
                continue
            outer = self._parents.get(piece.start)
            run = runs.setdefault(outer.start if outer is not None else -1, [])
            if run and self._text[run[-1].whole[1] : piece.start].strip():
                yield list(run)
                run.clear()
            run.append(piece)
        yield from runs.values()

    def runs(self, names: Container[str], parents: Container[str]) -> Iterator[list[SourcePiece]]:
        """Yield elements of these names that follow one another, and stand in none of the parents."""
        run: list[SourcePiece] = []
        for piece in self.tags:
            if piece.tag is None or piece.tag.kind == "close" or piece.tag.name not in names:
                continue
            if run and (piece.start < run[-1].whole[1]):
                continue
            if run and self._text[run[-1].whole[1] : piece.start].strip():
                yield run
                run = []
            if not self._is_within(piece, parents):
                run.append(piece)
        if run:
            yield run

    def _is_within(self, piece: SourcePiece, names: Container[str]) -> bool:
        outer = self._parents.get(piece.start)
        for _ in range(_DEEPEST):
            if outer is None or outer.tag is None:
                return False
            if outer.tag.name in names:
                return True
            outer = self._parents.get(outer.start)
        return False

    def _read(self) -> None:
        """Find for each element what it stands in, and how deep those that nest are in it."""
        open_: list[SourcePiece] = []
        for piece in self.tags:
            while open_ and piece.start >= open_[-1].whole[1]:
                open_.pop()
            if piece.tag is None or piece.tag.kind == "close":
                continue
            if open_:
                self._parents[piece.start] = open_[-1]
                self._children.setdefault(open_[-1].start, []).append(piece)
            if piece.close is not None:
                open_.append(piece)
        for piece in reversed(self.tags):
            outer = self._parents.get(piece.start)
            if outer is not None and piece.tag is not None:
                depth = self.depth(piece) + (piece.tag.name in self._nesting)
                self._depths[outer.start] = max(self.depth(outer), depth)
