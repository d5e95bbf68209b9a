"""From an offset in a paragraph's text, as the inline rules see it, to the place in the chunk.

The block parser takes marks of quotes and lists, indentation and, in tables, backslashes off the lines, so
that only the end of each line is certain. `Places` works this out when a link, tag or fault needs its place.
A token that does not know where its text stood is looked for in its lines by `Searches`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice

from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.chunk.chunks import PREFIX, Chunk, Place, chunk_of, line_starts

_PIPE = re.compile(r"(?<!\\)\|")
_CELL = frozenset({"td_open", "th_open"})

_EMPTY = lazy(r"(?<=\]\()(?=\s*+(?:<>)?\s*+\))|(?<==[\"'])(?=[\"'])")
"""The place of an empty address, in markdown or in a tag."""

_GIVEN = {
    name: re.compile(rf"(?<![\w-]){name}\s*=\s*[\"']?", re.IGNORECASE) for name in ("href", "src", "poster")
}
_TRIED = 20
"""Attributes looked at for the next address; one written with entities is not found by its text."""
_IMAGE = lazy("<img", re.IGNORECASE)
_WORK = 4
_FREE = 10_000
"""The lines may be looked through four times and a bit for addresses; once is enough for what is in order."""


class Places:
    """The places of one stream of tokens; asks for a token by its index."""

    def __init__(self, tokens: Sequence[Token], body: Chunk) -> None:
        self._tokens = tokens
        self._body = body
        self._last: tuple[int, Paragraph] | None = None
        self._cells: dict[int, int] = {}
        self._row: tuple[Chunk, int, list[tuple[int, str]]] | None = None

    def chunk(self, index: int) -> Chunk:
        """The chunk that a token was parsed from."""
        return chunk_of(self._tokens[index], self._body)

    def place(self, index: int, at: int = 0) -> Place:
        """Return the place of the offset `at` in the text of the inline token at `index`."""
        return Place(self.chunk(index), self._paragraph(index).offset(at))

    def edit(self, index: int, start: int, end: int, new: str) -> None:
        """In the twin, `new` stands for what is between two offsets in the text of the inline token."""
        paragraph = self._paragraph(index)
        self.chunk(index).edit(paragraph.offset(start), paragraph.offset(end), new)

    def _paragraph(self, index: int) -> Paragraph:
        if self._last is None or self._last[0] != index:
            self._last = index, self._made(index)
        return self._last[1]

    def _made(self, index: int) -> Paragraph:
        token, before = self._tokens[index], self._tokens[index - 1]
        chunk, line = self.chunk(index), token.map[0] if token.map else 0
        if before.type in _CELL:
            return self._in_cell(chunk, line, index)
        return Paragraph(chunk, line, token.content, before.markup if before.type == "heading_open" else "")

    def _in_cell(self, chunk: Chunk, line: int, index: int) -> Paragraph:
        if self._row is None or self._row[0] is not chunk or self._row[1] != line:
            self._row = chunk, line, list(_cells(chunk, line))
        cells, number = self._row[2], self._cell(index)
        start, raw = cells[number] if number < len(cells) else (chunk.bounds(line)[0], "")
        return Cell(chunk, line, start, raw)

    def _cell(self, index: int) -> int:
        """The number of the cell in its row; each row is walked through once."""
        step = index
        while step not in self._cells and self._tokens[step - 2].type != "tr_open":
            step -= 3
        number = self._cells.get(step, 0) + (index - step) // 3
        self._cells[index] = number
        return number


class Paragraph:
    """Lines of running text; `markup` is that of the heading they are, or ""."""

    def __init__(self, chunk: Chunk, line: int, content: str, markup: str = "") -> None:
        self._chunk = chunk
        self._line = line
        self._content = content
        self._markup = markup
        self._starts = line_starts(content)
        self._shifts: dict[int, int] = {}

    def offset(self, at: int) -> int:
        """The offset in the chunk of the offset `at` in the paragraph."""
        number = bisect_right(self._starts, at) - 1
        if number not in self._shifts:
            self._shifts[number] = self._shift(number)
        return max(0, at + self._shifts[number])

    def _shift(self, number: int) -> int:
        """Return the distance of the chunk's offsets from the content's on a line."""
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self._content)
        piece = self._content[start:end].rstrip()
        begin, stop = self._chunk.bounds(min(self._line + number, len(self._chunk.starts) - 1))
        line = self._chunk.text[begin:stop].rstrip()
        return begin + self._column(line, piece) - start

    def _column(self, line: str, piece: str) -> int:
        """Return the column at which the piece begins in the line."""
        if self._markup.startswith("#") or not line.endswith(piece):
            prefix = PREFIX.match(line)
            begin = prefix.end() if prefix else 0
            if self._markup.startswith("#"):
                begin = max(begin, line.find(self._markup, begin) + len(self._markup))
            found = line.find(piece.lstrip(), begin)
            if found >= 0:
                return found - (len(piece) - len(piece.lstrip()))
        return len(line) - len(piece)


class Cell(Paragraph):
    """A cell of a table; `\\|` in it was parsed as `|`."""

    def __init__(self, chunk: Chunk, line: int, start: int, raw: str) -> None:
        super().__init__(chunk, line, "")
        self._start = start
        self._escapes = [found.start() - number for number, found in enumerate(re.finditer(r"\\\|", raw))]

    def offset(self, at: int) -> int:
        """The offset in the chunk of the offset `at` in the paragraph."""
        return self._start + at + bisect_right(self._escapes, at - 1)


def _cells(chunk: Chunk, line: int) -> list[tuple[int, str]]:
    """Return the offset at which each cell's text begins, and the text."""
    begin, end = chunk.bounds(line)
    text = chunk.text[begin:end].rstrip()
    prefix = PREFIX.match(text)
    pos = prefix.end() if prefix else 0
    if text.startswith("|", pos):
        pos += 1
    cells = []
    for stop in [*(pipe.start() for pipe in _PIPE.finditer(text, pos)), len(text)]:
        raw = text[pos:stop]
        cells.append((begin + pos + len(raw) - len(raw.lstrip()), raw.strip()))
        pos = stop + 1
    return cells


class _Search(Struct):
    """The search in the lines of the token `index`: where the last text was found, and how much was read."""

    index: int = -1
    last: int = 0
    work: int = 0

    def find(self, source: str, text: str, begin: int, end: int) -> int:
        """Return the offset of `text`, looked for behind the last one first; -1 when it is not found.

        An address in angles may be asked for with and without these.
        """
        if self.work > _WORK * (end - begin) + _FREE:
            return -1
        start = max(begin, self.last - 1)
        found = source.find(text, start, end)
        self.work += (found if found >= 0 else end) - start
        if found < 0 and start > begin:
            found = source.find(text, begin, end)
            self.work += (found if found >= 0 else end) - begin
        self.last = max(found, self.last)
        return found


class Searches:
    """Searches in the lines of inline tokens, told by their index; each goes on from the one before it."""

    def __init__(self, tokens: Sequence[Token], places: Places) -> None:
        self._tokens = tokens
        self._places = places
        self._seen: dict[tuple[int, str], int] = {}
        self._known: dict[str, Place] = {}
        self._search = _Search()

    def text(self, index: int, text: str) -> Place:
        """Return the place of `text`, or else of an empty target; the same place each time."""
        if self._search.index != index:
            self._search, self._known = _Search(index), {}
        if text not in self._known:
            self._known[text] = self._place(index, text)
        return self._known[text]

    def _place(self, index: int, text: str) -> Place:
        chunk, begin, end = self._lines(index)
        if text:
            found = self._search.find(chunk.text, text, begin, end)
            return Place(chunk, max(begin, found))
        empty = _EMPTY.search(chunk.text, begin, end)
        return Place(chunk, empty.start() if empty else begin)

    def attribute(self, index: int, name: str, address: str) -> Place | None:
        """Return the place of the next attribute with this address."""
        if not address:
            return None
        chunk, begin, end = self._lines(index)
        given = _GIVEN[name].finditer(chunk.text, self._seen.get((index, name), begin), end)
        for found in islice(given, _TRIED):
            if chunk.text.startswith(address, found.end()):
                self._seen[index, name] = found.end()
                return Place(chunk, found.end())
        return None

    def image(self, index: int) -> Place:
        """Return the place of the next image."""
        chunk, begin, end = self._lines(index)
        found = _IMAGE.search(chunk.text, self._seen.get((index, "img"), begin), end)
        if found is None:
            return Place(chunk, begin)
        self._seen[index, "img"] = found.end()
        return Place(chunk, found.start())

    def _lines(self, index: int) -> tuple[Chunk, int, int]:
        token, chunk = self._tokens[index], self._places.chunk(index)
        first, last = token.map or (0, 1)
        return chunk, chunk.bounds(first)[0], chunk.bounds(last - 1)[1]
