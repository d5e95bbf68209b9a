"""Open an archive, whatever kind it is by its first bytes."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import BinaryIO

from server.sites.archive_entry import Entries, Entry
from server.sites.archive_limits import ArchiveLimits, ArchiveRefused
from server.sites.tar_entries import BLOCK, tar_entries
from server.sites.unpacked_stream import DECODERS, UnpackedStream
from server.sites.zip_entries import zip_entries

_ZIP = (b"PK\3\4", b"PK\5\6")
_HINT = "upload a .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"


def open_archive(file: BinaryIO, limits: ArchiveLimits) -> Entries:
    """Go through the archive in a file that can be read from any place. Raises ArchiveRefused."""
    file.seek(0)
    start = file.read(BLOCK)
    if start.startswith(_ZIP):
        entries = zip_entries(file, limits)
    elif start.startswith(tuple(DECODERS)) or _is_header(start):
        entries = _tar(file, limits)
    else:
        raise ArchiveRefused("the file is no archive that can be read", hint=_HINT)
    return lambda: _bounded(entries(), limits)


def _is_header(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _tar(file: BinaryIO, limits: ArchiveLimits) -> Entries:
    def entries() -> Iterator[Entry]:
        file.seek(0)
        return tar_entries(UnpackedStream(file, limits))

    return entries


def _bounded(entries: Iterator[Entry], limits: ArchiveLimits) -> Iterator[Entry]:
    for number, entry in enumerate(entries):
        if number >= limits.entries:
            message = f"the archive has more than {limits.entries:,} entries"
            raise ArchiveRefused(message, hint="leave out what is no part of the site")
        yield entry
