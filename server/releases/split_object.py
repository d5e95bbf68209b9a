"""A text that has something of each page, in pieces: the next release has most of them, too.

    split/DI/DIGEST     of the text with this digest: its pieces, in order
    pieces/DI/DIGEST    a piece, named by the digest of all that is in it: bytes | the same deflated

Whoever reads it has an object as it is packed: `head | bytes | gzip`. The deflated pieces are parts of one
gzip stream. Parts of streams of brotli cannot be put together, so that there is none.

A text is cut behind lines that are chosen by their own bytes: what stands before and behind a change is cut
as it was.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, BinaryIO

import msgspec
from msgspec import Meta, Struct

from server.releases.packed_object import HEAD_BYTES, NoObject, Parts, head
from server.releases.release import Digest, digest_key

SPLIT, PIECES = "split", "pieces"
SMALLEST = 128 * 1024
"""Bytes from which on a text is split."""
_GATHERING = frozenset({"txt", "xml", "json", "md"})
"""The kinds of files that a build makes of many pages: lists for agents, feeds, the sitemap, search data."""
_LEAST, _MOST = 32 * 1024, 128 * 1024
"""Bytes of a piece."""
_MORE = 32 * 1024
"""Bytes of which one, in the middle, is in the line that ends a piece which is long enough."""
_LEVEL = 6
_RAW = -15
_GZIP_HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
_GZIP_END = b"\x03\x00"
_GZIP_TAIL = struct.Struct("<2sII")
_Number = Annotated[int, Meta(ge=0)]
Place = tuple[str, int, int]
"""A part of an object of the store: key, start and length."""


class Piece(Struct, frozen=True, array_like=True):
    """A piece: its name, the digest of its bytes, and their number before and after deflating."""

    name: Digest
    text: Digest
    length: _Number
    deflated: _Number

    @property
    def key(self) -> str:
        """The key of its object."""
        return digest_key(PIECES, self.name)


class SplitObject(Struct, frozen=True, array_like=True):
    """A text in pieces, with the checksum that a gzip stream of it ends with."""

    checksum: _Number
    pieces: tuple[Piece, ...]

    @property
    def parts(self) -> Parts:
        """The places of its forms in the object as which it is read."""
        identity, gzip = self._lengths
        end = HEAD_BYTES + identity
        return Parts((HEAD_BYTES, identity), (end, gzip), (end + gzip, 0))

    @property
    def _lengths(self) -> tuple[int, int]:
        deflated = sum(each.deflated for each in self.pieces)
        return sum(each.length for each in self.pieces), len(_GZIP_HEAD) + deflated + _GZIP_TAIL.size

    def places(self, start: int, length: int) -> Iterator[Place | bytes]:
        """Yield what a part of the object as which it is read consists of, in order."""
        begin, end = 0, start + length
        for found in self._all():
            size = len(found) if isinstance(found, bytes) else found[2]
            first, last = max(start - begin, 0), min(end - begin, size)
            if first < last:
                key, inner = ("", 0) if isinstance(found, bytes) else found[:2]
                yield found[first:last] if isinstance(found, bytes) else (key, inner + first, last - first)
            begin += size
            if begin >= end:
                return

    def _all(self) -> Iterator[Place | bytes]:
        identity, gzip = self._lengths
        yield head(identity, gzip)
        for each in self.pieces:
            yield each.key, 0, each.length
        yield _GZIP_HEAD
        for each in self.pieces:
            yield each.key, each.length, each.deflated
        yield _GZIP_TAIL.pack(_GZIP_END, self.checksum, identity & 0xFFFFFFFF)


_DECODER = msgspec.msgpack.Decoder(SplitObject)


def encode(split: SplitObject) -> bytes:
    """Return the object that names the pieces."""
    return msgspec.msgpack.encode(split)


def decode(data: bytes) -> SplitObject:
    """Read an object that names pieces. Raises NoObject."""
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError as error:
        raise NoObject(f"this is no list of pieces: {error}") from None


def gathers(path: str, size: int) -> bool:
    """Return whether a file of a release is split: it may have something of each page, and is not small."""
    return size >= SMALLEST and path.rpartition(".")[2].lower() in _GATHERING


def split(
    file: BinaryIO, length: int, known: Mapping[Digest, Piece], put: Callable[[str, bytes], None]
) -> tuple[Digest, SplitObject]:
    """Split the next bytes of a file, at most so many; return their digest and the pieces.

    Pieces that are not `known` by the digest of their bytes are put under their keys.
    """
    digest, checksum, found = hashlib.sha256(), 0, list[Piece]()
    for data in _cut(file, length):
        digest.update(data)
        checksum = zlib.crc32(data, checksum)
        text = hashlib.sha256(data).digest()
        found.append(known.get(text) or _put(text, data, put))
    return digest.digest(), SplitObject(checksum, tuple(found))


def _put(text: Digest, data: bytes, put: Callable[[str, bytes], None]) -> Piece:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    # What follows a full flush refers to nothing before it.
    deflated = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    stored = data + deflated
    piece = Piece(hashlib.sha256(stored).digest(), text, len(data), len(deflated))
    put(piece.key, stored)
    return piece


def _cut(file: BinaryIO, length: int) -> Iterator[bytes]:
    """Yield the pieces of a text."""
    left, data = length, b""
    while True:
        more = file.read(min(left, _MOST - len(data)))
        left, data = left - len(more), data + more
        if not data:
            return
        end = _end(data)
        yield data[:end]
        data = data[end:]


def _end(data: bytes) -> int:
    """Return the number of bytes of the piece with which these begin."""
    start = data.find(b"\n", _LEAST) + 1
    while start and (end := data.find(b"\n", start) + 1):
        if zlib.crc32(data[start:end]) % _MORE < end - start:
            return end
        start = end
    return len(data)


def split_key(digest: Digest) -> str:
    """Return the key of the object that names the pieces of the text with this digest."""
    return digest_key(SPLIT, digest)


def known_pieces(splits: Sequence[SplitObject]) -> dict[Digest, Piece]:
    """Return the pieces of texts by the digests of their bytes."""
    return {piece.text: piece for each in splits for piece in each.pieces}
