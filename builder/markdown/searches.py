"""Where something stands in the lines of a token that does not know it itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from markdown_it.token import Token

from builder.lazy import lazy
from builder.markdown.sheet import Place
from builder.markup.chunks import Chunk
from builder.markup.places import Places

_EMPTY = lazy(r"(?<=\]\()(?=\s*+(?:<>)?\s*+\))|(?<==[\"'])(?=[\"'])")
"""The place of an empty address, in markdown or in a tag."""

_GIVEN = {
    name: re.compile(rf"(?<![\w-]){name}\s*=\s*[\"']?", re.IGNORECASE) for name in ("href", "src", "poster")
}
_TRIED = 20
"""Attributes looked at for the next address; one written with entities is not found by its text."""
_IMAGE = lazy("<img", re.IGNORECASE)


class Searches:
    """Searches in the lines of inline tokens, told by their index; those in raw HTML go on from the last."""

    def __init__(self, tokens: Sequence[Token], places: Places) -> None:
        self._tokens = tokens
        self._places = places
        self._seen: dict[tuple[int, str], int] = {}

    def text(self, index: int, text: str) -> Place:
        """Where `text`, or else an empty target, stands."""
        chunk, begin, end = self._lines(index)
        if text:
            return chunk, max(begin, chunk.text.find(text, begin, end))
        found = _EMPTY.search(chunk.text, begin, end)
        return chunk, found.start() if found else begin

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
