"""A release as a zip: made piece by piece while it is sent, so that it needs neither memory nor disk.

The same release gives the same bytes: files in the order of their names, all with the time of the release.
"""

from __future__ import annotations

import stat
import time
import zipfile
from collections.abc import Iterator
from typing import IO, cast

from server.releases.packed_object import HEAD_BYTES, is_text, parts
from server.releases.release import Files, ReleasedFile
from server.releases.release_store import ReleaseStore, object_key

PIECE = 256 * 1024
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_FIRST, _LAST = 315_532_800, 4_354_819_198
"""The times that a zip can tell: from 1980 on, to the end of 2107."""
_LARGE = 1 << 30
"""Bytes from which on the zip is told that a file may need more than 32 bits for its size."""


def release_zip(store: ReleaseStore, number: int) -> Iterator[bytes]:
    """Return the files of a release as a zip, in pieces of which none is empty.

    Raises ReleaseNotFound, DamagedRelease and StorageError before the first piece.
    """
    return _pieces(store, store.files(number), store.get(number).created_at)


class _Written:
    """A file that keeps what is written to it until somebody takes it."""

    def __init__(self) -> None:
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        self._data += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: zipfile asks for it."""

    def take(self, least: int = 1) -> Iterator[bytes]:
        """Yield what was written, if there are so many bytes of it."""
        if len(self._data) >= least:
            yield bytes(self._data)
            self._data.clear()


def _pieces(store: ReleaseStore, files: Files, when: int) -> Iterator[bytes]:
    out = _Written()
    with zipfile.ZipFile(cast(IO[bytes], out), "w") as archive:
        for path, file in sorted(files.items()):
            with archive.open(_info(path, when), "w", force_zip64=file.size >= _LARGE) as target:
                for data in _content(store, file):
                    target.write(data)
                    yield from out.take(PIECE)
    yield from out.take()


def _content(store: ReleaseStore, file: ReleasedFile) -> Iterator[bytes]:
    """Yield the bytes of a file. Raises FileNotFoundError when a sweep has deleted it meanwhile."""
    key = object_key(file.digest)
    start, left = parts(store.objects.read_range(key, 0, HEAD_BYTES)).identity
    while left:
        data = store.objects.read_range(key, start, min(left, PIECE))
        if not data:
            raise EOFError(f"{key} is cut off")
        yield data
        start, left = start + len(data), left - len(data)


def _info(path: str, when: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, time.gmtime(min(max(when, _FIRST), _LAST))[:6])
    info.compress_type = zipfile.ZIP_DEFLATED if is_text(path) else zipfile.ZIP_STORED
    info.create_system, info.external_attr = _UNIX, _MODE
    return info
