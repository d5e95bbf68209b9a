"""Pages on their way between machines: sealed one by one, packed together, compressed.

A pack has for each page its content path, its key, its values and two seals. The sum finds out what was
damaged on the way. The signature finds out what was written by somebody who does not know the secret: an
HMAC-SHA256 (RFC 2104) over the page's path, its key and all of its values, so that no page is taken for
another. What a key is made of (`builder/cache/keys.py`) makes an old pack harmless: a page that has another
key by now is not taken from it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from builder.cache.compression import compressed, decompressed
from builder.render import CachedPage

FORMAT = 1
MOST_BYTES = 256 * 1024 * 1024
"""Of a pack that is no longer compressed."""
_SUM = 16


class PackedPage(Struct, frozen=True, array_like=True):
    """A page in a pack. `signature` is empty where the writer has no secret."""

    path: str
    key: bytes
    page: tuple[bytes, bytes, bytes, bytes]
    sum: bytes
    signature: bytes


class Unpacked(Struct, frozen=True):
    """The pages of a pack that hold, by content path, each with its key; and the number of `refused` ones."""

    pages: Mapping[str, tuple[bytes, CachedPage]]
    refused: int = 0


class Seals(Struct, frozen=True):
    """Seals pages, and looks at seals. Without a secret nothing is signed, and no signature is looked at."""

    secret: bytes = b""

    def pack(self, pages: Iterable[tuple[str, bytes, CachedPage]]) -> bytes:
        """Return a pack of pages: the content path, the key and the values of each."""
        rows = [self._sealed(path, key, msgspec.structs.astuple(page)) for path, key, page in pages]
        return compressed(msgspec.msgpack.encode((FORMAT, rows)))

    def unpack(self, data: bytes) -> Unpacked | None:
        """Return the pages of a pack that hold; None for bytes that are no pack at all."""
        try:
            form, rows = _DECODER.decode(decompressed(data, MOST_BYTES))
        except (ValueError, msgspec.MsgspecError):
            return None
        if form != FORMAT:
            return None
        right = [row for row in rows if self._holds(row)]
        pages = {row.path: (row.key, CachedPage(*row.page)) for row in right}
        return Unpacked(pages, len(rows) - len(right))

    def _sealed(self, path: str, key: bytes, page: tuple[bytes, bytes, bytes, bytes]) -> PackedPage:
        said = _said(path, key, page)
        return PackedPage(path, key, page, _sum(said), self._signature(said))

    def _holds(self, row: PackedPage) -> bool:
        said = _said(row.path, row.key, row.page)
        if not hmac.compare_digest(row.sum, _sum(said)):
            return False
        return not self.secret or hmac.compare_digest(row.signature, self._signature(said))

    def _signature(self, said: bytes) -> bytes:
        return hmac.digest(self.secret, said, "sha256") if self.secret else b""


_DECODER = msgspec.msgpack.Decoder(tuple[int, list[PackedPage]])


def _said(*values: object) -> bytes:
    """Bytes that are others for any other values."""
    return msgspec.msgpack.encode((FORMAT, values))


def _sum(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=_SUM).digest()
