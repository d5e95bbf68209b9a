"""Entries of a zip, whose directory is bounded before it is read into memory.

A zip may say anything of itself. Its directory is counted while `zipfile` reads it; content that two entries
share (the bomb of David Fifield) is refused; and of the ways to compress, only those that `zipfile` unpacks
piece by piece are taken.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import BinaryIO

from server.sites.archive_entry import CHUNK, ArchiveEntry, Entries, Kind
from server.sites.archive_limits import ArchiveLimits, ArchiveRefused, shown

_ENTRY = b"PK\1\2"
_PER_ENTRY = 256
"""Bytes of the directory that an entry may have, in the mean."""
_AROUND = 256 * 1024
"""Bytes that are read beside the directory: the end of the file, where its place is noted."""
_LOCAL = 30
_WINDOWS = 0
_ENCRYPTED, _UTF8, _PATCH, _STRONG = 0x1, 0x800, 0x20, 0x40
_FAULTS = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, struct.error, EOFError,
    ValueError, OverflowError, OSError,
)  # fmt: skip


class _Bounded:
    """A file of which no more is read than a directory may have, until it is `open`."""

    def __init__(self, file: BinaryIO, limits: ArchiveLimits) -> None:
        self._file = file
        self._entries = limits.entries
        self._left = limits.entries * _PER_ENTRY + _AROUND
        self._before = b""
        self.open = False
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read as a file does. Raises ArchiveRefused for a directory that is too large."""
        if self.open:
            return self._file.read(size)
        if size > self._left:
            raise _too_many()
        data = self._file.read(size if size >= 0 else self._left + 1)
        self._left -= len(data)
        self._entries -= (self._before + data).count(_ENTRY)
        self._before = data[-len(_ENTRY) + 1 :]
        if self._left < 0 or self._entries < 0:
            raise _too_many()
        return data


def _too_many() -> ArchiveRefused:
    return ArchiveRefused("the archive has too many entries", hint="leave out what is no part of the site")


def zip_entries(file: BinaryIO, limits: ArchiveLimits) -> Entries:
    """Open a zip. Raises ArchiveRefused."""
    bounded = _Bounded(file, limits)
    with _refusing(""):
        archive = zipfile.ZipFile(bounded)
    bounded.open = True
    infos = archive.infolist()
    _check_apart(infos, archive.start_dir)
    return lambda: (_entry(archive, info, limits) for info in infos)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Refuse what `zipfile` cannot read."""
    try:
        yield
    except _FAULTS as error:
        raise ArchiveRefused(
            f"the archive is damaged: {error}", path=shown(name), hint="pack it again"
        ) from error


def _check_apart(infos: list[zipfile.ZipInfo], end: int) -> None:
    """Refuse entries that share bytes of the archive."""
    places = sorted((info.header_offset, _end(info), info.orig_filename) for info in infos)
    for (_, stop, name), (start, *_) in pairwise([*places, (end, end, "")]):
        if stop > start:
            raise ArchiveRefused("it overlaps with another entry: that is an attack", path=shown(name))


def _end(info: zipfile.ZipInfo) -> int:
    """The first byte behind an entry, or one before that: its own header may be longer."""
    encoding = "utf-8" if info.flag_bits & _UTF8 else "cp437"
    return info.header_offset + _LOCAL + len(info.orig_filename.encode(encoding)) + info.compress_size


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: ArchiveLimits) -> ArchiveEntry:
    name = _name(info)
    return ArchiveEntry(name, _kind(info), info.file_size, lambda: _chunks(archive, info, name, limits))


def _name(info: zipfile.ZipInfo) -> str:
    """The name with slashes: macOS writes UTF-8 without saying so, old programs of Windows backslashes."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.orig_filename
    return name.replace("\\", "/") if info.create_system == _WINDOWS else name


def _kind(info: zipfile.ZipInfo) -> Kind:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "symbolic link"
    if info.orig_filename.endswith(("/", "\\")) or stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_IFMT(mode) in {0, stat.S_IFREG} else "device"


def _chunks(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limits: ArchiveLimits
) -> Iterator[bytes]:
    _check_readable(info, name)
    unpacked = 0
    with _refusing(name), archive.open(info) as content:
        while data := content.read(CHUNK):
            unpacked += len(data)
            limits.check_ratio(info.compress_size, unpacked, name)
            yield data


def _check_readable(info: zipfile.ZipInfo, name: str) -> None:
    if info.flag_bits & (_ENCRYPTED | _STRONG):
        raise ArchiveRefused("it is encrypted", path=shown(name), hint="pack it without a password")
    if info.flag_bits & _PATCH or info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        method = zipfile.compressor_names.get(info.compress_type, f"method {info.compress_type}")  # type: ignore[attr-defined]
        hint = "pack it with the usual method, deflate"
        raise ArchiveRefused(f"it is compressed by {method}", path=shown(name), hint=hint)
