"""The content of a page of a large site, of which a preview has many: compressed, and on disk."""

from __future__ import annotations

from itertools import accumulate

import msgspec
from msgspec import Struct

from builder.cache import pack, unpack
from builder.cache.entries import FACTS, SEARCH, Facts
from builder.compression import QUICK, compressed, decompressed
from builder.digests import digest
from builder.preview.page_spool import InMemory, Spool, Spooled
from builder.render import CachedPage, PageContent
from builder.search import Part

MOST = 1 << 30
"""Bytes of a value; what it was made of is less."""


class PackedContent(Struct, frozen=True, gc=False):
    """A page as the cache keeps it, each value compressed: where they lie, and where each one ends.

    `search_key` tells the page's part in the search from any other; it is empty where the page has none.
    """

    lies: Spooled | InMemory
    ends: tuple[int, int, int, int]
    search_key: bytes

    def content(self) -> PageContent:
        """The content again."""
        return unpack(CachedPage(*map(self._value, range(4))), text=True)

    def facts(self) -> Facts:
        """The facts alone."""
        return FACTS.decode(self._value(0))

    def twin(self) -> str:
        """The twin alone."""
        return self._value(2).decode()

    def search(self) -> Part | None:
        """The part in the search alone."""
        return SEARCH.decode(self._value(3))

    def search_row(self) -> bytes:
        """The same as it lies there, for `opened_part`."""
        return self._compressed(3)

    def _value(self, number: int) -> bytes:
        return _opened(self._compressed(number))

    def _compressed(self, number: int) -> bytes:
        start = self.ends[number - 1] if number else 0
        return self.lies.read(start, self.ends[number] - start)


def packed_part(part: Part | None) -> bytes:
    """The part of a page in the search, as `search_row` gives it."""
    return compressed(msgspec.msgpack.encode(part), QUICK)


def opened_part(row: bytes) -> Part | None:
    """The part of a page in the search, from what `search_row` gave."""
    return SEARCH.decode(_opened(row))


def compressed_row(content: PageContent) -> CachedPage | None:
    """The values of a page, each compressed; None for a page that cannot be packed, such as one with half of
    a surrogate pair."""
    row = pack(content)
    if row is None:
        return None
    return CachedPage(*(compressed(each, QUICK) for each in (row.facts, row.body, row.twin, row.search)))


def spooled(row: CachedPage, spool: Spool) -> PackedContent:
    """Put the compressed values of a page away."""
    values = (row.facts, row.body, row.twin, row.search)
    first, second, third, fourth = accumulate(map(len, values))
    key = b"" if row.search == _NO_PART else digest(row.search)
    return PackedContent(spool.add(b"".join(values)), (first, second, third, fourth), key)


def _opened(data: bytes) -> bytes:
    return decompressed(data, MOST)


_NO_PART = packed_part(None)
