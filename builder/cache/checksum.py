"""Sums over what is kept: SQLite finds a file out that is no database, but not a byte that has changed in it.

A sum covers what a value is kept as, too, so that no page is taken for another. It is against faults of disks
and of copies; who may write to the cache may write to the site.
"""

from __future__ import annotations

import zlib

SUM = 4
"""Bytes of a CRC-32, which stand behind the value."""


class Damaged(Exception):
    """The bytes found are not the bytes that were kept."""


def sealed(data: bytes, *names: str | bytes) -> bytes:
    """A value with the sum over it and its names."""
    return data + _sum(data, names)


def opened(data: object, *names: object) -> bytes:
    """The value that was sealed under these names. Raises Damaged."""
    if not isinstance(data, bytes) or data[-SUM:] != _sum(memoryview(data)[:-SUM], names):
        raise Damaged
    return data[:-SUM]


def _sum(data: bytes | memoryview, names: tuple[object, ...]) -> bytes:
    return zlib.crc32(data, zlib.crc32(repr(names).encode())).to_bytes(SUM, "big")
