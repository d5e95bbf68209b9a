"""Pages on their way between machines: sealed one by one, packed together, compressed.

A pack has for each page its content path, its keys, its values and its HTML, as bytes, and two seals of them.
The signature finds out what was written by somebody who does not know the secret: an HMAC-SHA256 (RFC 2104)
over all of them, so that no page is taken for another. The sum finds out what was damaged on the way, for
those who do not know the secret themselves. What a key is made of (`builder/cache/keys.py`) makes an old pack
harmless: a page that has another key by now is not taken from it.

Whoever can write to a store can put anything there, so what a pack comes to is bounded before it is made.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from builder.compression import compressed, decompressed
from builder.render import CachedPage

FORMAT = 2
MOST_BYTES = 64 * 1024 * 1024
"""Of what is read from a store."""
MOST_UNPACKED = 16 * 1024 * 1024
"""Of a pack; one of common pages has some 3 MB, and is a tenth of that as it travels."""
MOST_PAGES = 4096
"""Of a pack: a hundred times as many as there are in most."""
_SUM = 16


class SharedPage(Struct, frozen=True):
    """A page as machines share it: key and content; and its HTML, if that is known, with the files key."""

    key: bytes
    content: CachedPage
    files_key: bytes = b""
    html: bytes = b""

    @property
    def keys(self) -> tuple[bytes, bytes]:
        """Both keys: what has the same ones is the same."""
        return self.key, self.files_key

    @property
    def size(self) -> int:
        """The bytes of its values."""
        return len(self.html) + sum(map(len, msgspec.structs.astuple(self.content)))


class PackedPage(NamedTuple):
    """A page in a pack: all that is said of it as bytes, which nobody decodes before the seals are looked at.

    `signature` is empty where the writer has no secret.
    """

    said: bytes
    sum: bytes
    signature: bytes


class Unpacked(Struct, frozen=True):
    """The pages of a pack that hold, by content path, and the number of `refused` ones."""

    pages: Mapping[str, SharedPage]
    refused: int = 0


class Seals(Struct, frozen=True):
    """Seals pages, and looks at seals: at signatures with a secret, and without one at sums."""

    secret: bytes = b""

    def pack(self, pages: Iterable[tuple[str, SharedPage]]) -> bytes:
        """Return a pack of pages by content path, but for those that are too much for one."""
        return compressed(msgspec.msgpack.encode((FORMAT, [*self._rows(pages)])))

    def unpack(self, data: bytes) -> Unpacked | None:
        """Return the pages of a pack that hold; None for bytes that are no pack at all."""
        try:
            form, rows = _DECODER.decode(decompressed(data, MOST_UNPACKED))
        except (ValueError, msgspec.MsgspecError, RecursionError):
            return None
        if form != FORMAT:
            return None
        right = [page for row in rows if self._holds(row) and (page := _page(row.said))]
        return Unpacked(dict(right), len(rows) - len(right))

    def _rows(self, pages: Iterable[tuple[str, SharedPage]]) -> Iterator[PackedPage]:
        room = MOST_UNPACKED // 2
        for path, page in pages:
            if page.size <= room:
                room -= page.size
                values = msgspec.structs.astuple(page.content)
                said = msgspec.msgpack.encode((FORMAT, path, page.key, values, page.files_key, page.html))
                yield PackedPage(said, _sum(said), self._signature(said))

    def _holds(self, row: PackedPage) -> bool:
        if self.secret:
            return hmac.compare_digest(row.signature, self._signature(row.said))
        return hmac.compare_digest(row.sum, _sum(row.said))

    def _signature(self, said: bytes) -> bytes:
        return hmac.digest(self.secret, said, "sha256") if self.secret else b""


_DECODER = msgspec.msgpack.Decoder(tuple[int, Annotated[list[PackedPage], Meta(max_length=MOST_PAGES)]])


_SAID = msgspec.msgpack.Decoder(tuple[int, str, bytes, tuple[bytes, bytes, bytes, bytes], bytes, bytes])


def _page(said: bytes) -> tuple[str, SharedPage] | None:
    """Return a page with its content path; None for bytes that say nothing of one."""
    try:
        form, path, key, values, files_key, html = _SAID.decode(said)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return (path, SharedPage(key, CachedPage(*values), files_key, html)) if form == FORMAT else None


def _sum(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=_SUM).digest()
