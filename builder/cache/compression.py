"""Bytes made small, and back again; what they come to is bounded before it is made.

Zstandard (RFC 8878) at its default level: pages become a fifth to a sixth of their size, in less time than by
zlib.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
}


def compressed(data: bytes) -> bytes:
    """Return the bytes, made small."""
    return zstd.compress(data, options=_OPTIONS)


def decompressed(data: bytes, most: int) -> bytes:
    """Return the bytes that were made small. Raises ValueError for others, and for more than `most`."""
    reader = zstd.ZstdDecompressor()
    try:
        found = reader.decompress(data, max_length=most)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    if not reader.eof or reader.unused_data:
        raise ValueError("these are not the bytes of one frame, or too many")
    return found
