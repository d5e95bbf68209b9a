"""Bytes on disk that are seldom asked for again: the pages of a large site, and the files of its search.

They lie in files without a name, which go when the process does. Bytes are only ever added; a file goes when
nothing that lies in it is asked for any more. Where the disk takes no more, bytes stay in memory.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from threading import Lock

from msgspec import Struct

SIZE = 32 << 20
"""Bytes after which another file is begun: of a page that is saved again and again they all go one day."""
FOLDER = ".twinpress"


class _File:
    """A file without a name; it goes with the last that refers to it."""

    def __init__(self, folder: str | None) -> None:
        opened = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - the finalizer closes it
        self.number = opened.fileno()
        self.size = 0
        weakref.finalize(self, opened.close)


class Spooled(Struct, frozen=True, gc=False):
    """Bytes of a `Spool`; from any thread."""

    file: _File
    start: int
    size: int

    def read(self, start: int = 0, size: int | None = None) -> bytes:
        """So many of the bytes from there, or all that follow."""
        return os.pread(self.file.number, self.size - start if size is None else size, self.start + start)


class InMemory(Struct, frozen=True, gc=False):
    """The same of bytes that the disk did not take."""

    data: bytes

    def read(self, start: int = 0, size: int | None = None) -> bytes:
        """So many of the bytes from there, or all that follow."""
        return self.data[start : None if size is None else start + size]


class Spool:
    """Takes bytes of the site in `root`, from any thread.

    The files lie beside the site's own cache, where there is such a folder: that of the system for such files
    may be memory.
    """

    def __init__(self, root: Path) -> None:
        self._own = root / FOLDER
        self._lock = Lock()
        self._file: _File | None = None

    def add(self, data: bytes) -> Spooled | InMemory:
        """Put these bytes away."""
        with self._lock:
            try:
                file = self._writable()
                start = file.size
                if os.pwrite(file.number, data, start) != len(data):
                    return InMemory(data)  # the disk is full: what was written is written over
            except OSError:
                return InMemory(data)
            file.size += len(data)
        return Spooled(file, start, len(data))

    def _writable(self) -> _File:
        if self._file is None or self._file.size >= SIZE:
            is_there = os.access(self._own, os.W_OK) and not self._own.is_symlink()
            self._file = _File(str(self._own) if is_there else None)
        return self._file
