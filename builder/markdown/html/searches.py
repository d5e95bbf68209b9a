"""Where something stands in the lines of a token that does not know it itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.html.sheet import Place
from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.chunk.places import Places

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


class _Search(Struct):
    """The search in the lines of the token `index`: where the last text was found, and how much was read."""

    index: int = -1
    last: int = 0
    work: int = 0

    def find(self, source: str, text: str, begin: int, end: int) -> int:
        """Where `text` stands, looked for behind the last one first; -1 when it is not found.

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
        """Where `text`, or else an empty target, stands; the same place each time that it is asked for."""
        if self._search.index != index:
            self._search, self._known = _Search(index), {}
        if text not in self._known:
            self._known[text] = self._place(index, text)
        return self._known[text]

    def _place(self, index: int, text: str) -> Place:
        chunk, begin, end = self._lines(index)
        if text:
            found = self._search.find(chunk.text, text, begin, end)
            return chunk, max(begin, found)
        empty = _EMPTY.search(chunk.text, begin, end)
        return chunk, empty.start() if empty else begin

    def attribute(self, index: int, name: str, address: str) -> Place | None:
        """Where the next attribute with this address stands."""
        if not address:
            return None
        chunk, begin, end = self._lines(index)
        given = _GIVEN[name].finditer(chunk.text, self._seen.get((index, name), begin), end)
        for found in islice(given, _TRIED):
            if chunk.text.startswith(address, found.end()):
                self._seen[index, name] = found.end()
                return chunk, found.end()
        return None

    def image(self, index: int) -> Place:
        """Where the next image stands."""
        chunk, begin, end = self._lines(index)
        found = _IMAGE.search(chunk.text, self._seen.get((index, "img"), begin), end)
        if found is None:
            return chunk, begin
        self._seen[index, "img"] = found.end()
        return chunk, found.start()

    def _lines(self, index: int) -> tuple[Chunk, int, int]:
        token, chunk = self._tokens[index], self._places.chunk(index)
        first, last = token.map or (0, 1)
        return chunk, chunk.bounds(first)[0], chunk.bounds(last - 1)[1]
