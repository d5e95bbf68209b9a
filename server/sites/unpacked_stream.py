"""Bytes of a compressed file, read forwards: no more at a time than were asked for, and all are counted."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

from server.sites.archive_limits import ArchiveLimits, ArchiveRefused

_CHUNK = 64 * 1024
_XZ_MEMORY = 128 << 20
"""Bytes of memory that unpacking `xz -9` takes, twice: a header may ask for 4 GiB."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """A decoder of gzip that keeps its input, as those of bz2 and xz do."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)


DECODERS: dict[bytes, Callable[[], _Decoder]] = {
    b"\x1f\x8b": _Gzip,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}
"""What decodes a file, by the bytes that it begins with."""


class UnpackedStream:
    """A file, unpacked while it is read; one of another beginning is read as it is.

    Several compressed files behind each other are one, as for gzip. What follows them is not read.
    """

    def __init__(self, file: BinaryIO, limits: ArchiveLimits) -> None:
        self._file = file
        self._limits = limits
        self._packed = self._unpacked = 0
        self._rest = file.read(_CHUNK)
        self._magic = next((magic for magic in DECODERS if self._rest.startswith(magic)), b"")
        self._decoder = DECODERS[self._magic]() if self._magic else None
        self._data, self._place = b"", 0

    def read(self, size: int) -> bytes:
        """At least one byte and at most `size`; nothing at the end. Raises ArchiveRefused."""
        if self._place == len(self._data):
            self._data, self._place = self._unpack(), 0
            self._count()
        data = self._data[self._place : self._place + size]
        self._place += len(data)
        return data

    def _count(self) -> None:
        self._unpacked += len(self._data)
        if self._unpacked > self._limits.unpacked_bytes:
            raise ArchiveRefused(
                f"more than {self._limits.unpacked_bytes:,} bytes when it is unpacked",
                hint="leave out what is no part of the site",
            )
        self._limits.check_ratio(self._packed, self._unpacked)

    def _unpack(self) -> bytes:
        """The next bytes; nothing at the end."""
        if self._decoder is None:
            return self._input()
        while True:
            if self._decoder.eof and not self._next():
                return b""
            wanted = self._decoder.needs_input
            packed = self._input() if wanted else b""
            data = _decoded(self._decoder, packed)
            if data:
                return data
            if wanted and not packed and not self._decoder.eof:
                raise ArchiveRefused("the archive breaks off", hint="upload it again")

    def _input(self) -> bytes:
        data = self._rest or self._file.read(_CHUNK)
        self._rest = b""
        self._packed += len(data)
        return data

    def _next(self) -> bool:
        """Begin with the next compressed file, if there is one behind the last one."""
        assert self._decoder is not None  # noqa: S101 - for the type
        rest = self._decoder.unused_data
        if len(rest) < len(self._magic):
            rest += self._file.read(_CHUNK)
        if not self._magic or not rest.startswith(self._magic):
            return False
        self._packed -= len(rest)
        self._rest, self._decoder = rest, DECODERS[self._magic]()
        return True


def _decoded(decoder: _Decoder, packed: bytes) -> bytes:
    try:
        return decoder.decompress(packed, _CHUNK)
    except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError) as error:
        raise ArchiveRefused(f"the archive is damaged: {error}", hint="pack it again") from error
