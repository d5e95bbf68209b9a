"""The content of a page in a fifth of its memory: a preview of a large site keeps that of all its pages."""

from __future__ import annotations

from msgspec import Struct

from builder.cache import pack, unpack
from builder.cache.entries import SEARCH
from builder.compression import QUICK, compressed, decompressed
from builder.render import CachedPage, PageContent
from builder.search import Part

MOST = 1 << 30
"""Bytes of a value; what it was made of is less."""


class PackedContent(Struct, frozen=True):
    """A page as the cache keeps it, each value compressed."""

    row: CachedPage

    def content(self) -> PageContent:
        """The content again."""
        row = self.row
        whole = CachedPage(_opened(row.facts), _opened(row.body), _opened(row.twin), _opened(row.search))
        return unpack(whole, text=True)

    def twin(self) -> str:
        """The twin alone."""
        return _opened(self.row.twin).decode()

    def search(self) -> Part | None:
        """The part in the search alone."""
        return SEARCH.decode(_opened(self.row.search))


def pack_content(content: PageContent) -> PackedContent | None:
    """Pack the content of a page; None for one that cannot be, such as one with half of a surrogate pair."""
    row = pack(content)
    if row is None:
        return None
    values = (compressed(each, QUICK) for each in (row.facts, row.body, row.twin, row.search))
    return PackedContent(CachedPage(*values))


def _opened(data: bytes) -> bytes:
    return decompressed(data, MOST)
