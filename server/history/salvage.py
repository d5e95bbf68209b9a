"""Read what can still be read of a damaged pack of git objects, without its index.

    PACK, version, number        12 bytes
    HEAD DATA                    each object: kind and length, 1 byte or more, and its bytes, compressed
    checksum                     20 bytes

Twinpress writes whole objects only, never differences between two. Where something is broken, reading goes
on at the next object: where compressed data begins, and the bytes before it are the head that such data has.
Compressed data carries a checksum, so what is read is what was written.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import Blob, Commit, ShaFile, Tree
from dulwich.pack import pack_object_header

_KINDS = (Commit, Tree, Blob)
_BEGIN = b"\x78\x9c"
_CHUNK = 1 << 16


def objects_in(pack: Path) -> Iterator[ShaFile]:
    """The objects of a pack that are whole. Raises OSError."""
    data = memoryview(whole := pack.read_bytes())
    place = whole.find(_BEGIN)
    while place >= 0:
        found = _unpacked(data, place)
        kind = None if found is None else _kind(whole, place, len(found[0]))
        if found is None or kind is None:
            place += 1
        else:
            yield kind.from_string(found[0])
            place = found[1]
        place = whole.find(_BEGIN, place)


def _unpacked(data: memoryview, place: int) -> tuple[bytes, int] | None:
    """What the compressed data at a place holds, and where it ends; None when it is broken."""
    unpack, parts = zlib.decompressobj(), list[bytes]()
    try:
        while not unpack.eof and place < len(data):
            parts.append(unpack.decompress(data[place : place + _CHUNK]))
            place += _CHUNK
    except zlib.error:
        return None
    return (b"".join(parts), min(place, len(data)) - len(unpack.unused_data)) if unpack.eof else None


def _kind(data: bytes, place: int, size: int) -> type[Commit | Tree | Blob] | None:
    """Which kind of object of that size the head before a place announces."""
    for kind in _KINDS:
        head = bytes(pack_object_header(kind.type_num, None, size, DEFAULT_OBJECT_FORMAT))
        if data[max(place - len(head), 0) : place] == head:
            return kind
    return None
