"""A file of a release as one object: its bytes, and the same compressed where that is worth it.

    TPO1 | length of the bytes | of gzip's | of brotli's | bytes | gzip | brotli

Each length has 8 bytes, the highest first.

All of them in one object cost one file, or one request to a store, and a name by the bytes' digest alone. The
same bytes give the same object with the same libraries; what compresses to hardly less is not kept.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

import brotli
from msgspec import Struct

_MAGIC = b"TPO1"
_HEAD = struct.Struct(">4sQQQ")
HEAD_BYTES = _HEAD.size
_TEXTS = frozenset(
    {
        "css",
        "csv",
        "html",
        "js",
        "json",
        "map",
        "md",
        "mjs",
        "svg",
        "txt",
        "wasm",
        "webmanifest",
        "xml",
        "yaml",
        "yml",
    }
)
_SMALLEST = 256
"""Bytes from which on compressing is worth anything: less fits into the packet in any case."""
_WORTH = 0.9
_GZIP_WINDOW = 31
_USUAL, _QUICK = (6, 5), (1, 4)
"""The efforts of gzip and brotli: brotli's takes as long as gzip's default, and gives a sixth less. The quick
ones take a third of the time, and give a tenth more (brotli) and a quarter more (gzip)."""
_LARGE = 512 * 1024
"""Bytes from which on a text is packed quickly."""
LARGEST_TEXT = 16 * 1024 * 1024
"""Bytes up to which a text is compressed: it lies in memory as a whole."""


class NoObject(ValueError):
    """The bytes are no packed object."""


class Parts(Struct, frozen=True):
    """The places of the three forms within an object, by start and length in bytes; 0 where it has none."""

    identity: tuple[int, int]
    gzip: tuple[int, int]
    brotli: tuple[int, int]


def is_text(path: str) -> bool:
    """Return whether files of this name are worth compressing."""
    return path.rpartition(".")[2].lower() in _TEXTS


def pack(data: bytes, *, compress: bool) -> bytes:
    """Return a file's bytes as an object."""
    gzip = brotli_ = b""
    if compress and _SMALLEST <= len(data) <= LARGEST_TEXT:
        level, quality = _USUAL if len(data) < _LARGE else _QUICK
        gzip = _if_worth(_gzipped(data, level), data)
        brotli_ = _if_worth(brotli.compress(data, quality=quality), data)
    return b"".join((head(len(data), len(gzip), len(brotli_)), data, gzip, brotli_))


def head(identity: int, gzip: int = 0, brotli: int = 0) -> bytes:
    """Return the beginning of an object whose forms have these lengths."""
    return _HEAD.pack(_MAGIC, identity, gzip, brotli)


def parts(beginning: bytes) -> Parts:
    """Return the places of the forms, from the first HEAD_BYTES of an object. Raises NoObject."""
    if len(beginning) < HEAD_BYTES:
        raise NoObject("this is too short for an object")
    magic, identity, gzip, brotli_ = _HEAD.unpack_from(beginning)
    if magic != _MAGIC:
        raise NoObject("this is no object of a release")
    after = HEAD_BYTES + identity
    return Parts((HEAD_BYTES, identity), (after, gzip), (after + gzip, brotli_))


def holds(data: bytes, places: Parts) -> bool:
    """Return whether the compressed forms of an object in `data` are of the same bytes as its first one."""
    start, size = places.identity
    text = data[start : start + size]
    gzip, brotli_ = (data[begin : begin + length] for begin, length in (places.gzip, places.brotli))
    try:
        return (not gzip or _is_gzip_of(gzip, text)) and (not brotli_ or _is_brotli_of(brotli_, text))
    except (zlib.error, brotli.error):
        return False


def unpacked(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the bytes of a gzip stream of so many bytes, piece by piece. Raises NoObject for another one."""
    unpacker, left = zlib.decompressobj(_GZIP_WINDOW), size
    try:
        for piece in pieces:
            data = unpacker.decompress(piece, left + 1)
            left -= len(data)
            if left < 0 or unpacker.unconsumed_tail or unpacker.unused_data:
                raise NoObject("the stream has more bytes than the text")
            yield data
    except zlib.error as error:
        raise NoObject(f"the stream is damaged: {error}") from None
    if left or not unpacker.eof:
        raise NoObject("the stream has fewer bytes than the text")


def _is_gzip_of(data: bytes, text: bytes) -> bool:
    """Return whether the data unpacks to this text: of what was changed, no more than a byte more is made."""
    unpacker = zlib.decompressobj(_GZIP_WINDOW)
    return unpacker.decompress(data, len(text) + 1) == text and unpacker.eof


def _is_brotli_of(data: bytes, text: bytes) -> bool:
    unpacker = brotli.Decompressor()
    found: bytes = unpacker.process(data, output_buffer_limit=len(text) + 1)
    return found == text and bool(unpacker.is_finished())


def _gzipped(data: bytes, level: int) -> bytes:
    # zlib writes no time and no name into the head: the same bytes whenever it runs.
    packer = zlib.compressobj(level, zlib.DEFLATED, _GZIP_WINDOW)
    return packer.compress(data) + packer.flush()


def _if_worth(packed: bytes, data: bytes) -> bytes:
    return packed if len(packed) < _WORTH * len(data) else b""
