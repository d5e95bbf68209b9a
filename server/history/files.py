"""The folder of the history and what is done with its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from builder.output.sparse_copy import ranges
from builder.store import walk
from builder.store.temp_files import write_all

FOLDER, UNREADABLE = "history", "unreadable-"
FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@contextmanager
def folder(state: int) -> Iterator[int]:
    """The history's folder; made if it is not there."""
    with suppress(FileExistsError):
        os.mkdir(FOLDER, 0o700, dir_fd=state)
    with walk.folder(state, (FOLDER,)) as found:
        yield found


def append(file: int, data: bytes) -> None:
    """Write all of the data. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


class OpenBytes:
    """The first `size` bytes of an open file, of which only what is asked for is read. All raise OSError.

    What has been cut off meanwhile is missing in what is given.
    """

    def __init__(self, file: int, size: int) -> None:
        self._file = file
        self._size = size

    def __len__(self) -> int:
        """Count the bytes."""
        return self._size

    def part(self, start: int, end: int) -> bytes:
        """The bytes from one place to another."""
        parts: list[bytes] = []
        place, end = start, min(end, self._size)
        while place < end and (part := os.pread(self._file, end - place, place)):
            parts.append(part)
            place += len(part)
        return b"".join(parts)


def copy(source: int, start: int, target: int) -> None:
    """Copy what an open file has from a place on into a new one, piece by piece; durable.

    Where the file takes no room the new one takes none. Raises OSError.
    """
    size = os.fstat(source).st_size
    for begin, end in ranges(source, start, size):
        for place in range(begin, end, walk.CHUNK):
            os.lseek(target, place - start, os.SEEK_SET)
            write_all(target, os.pread(source, min(walk.CHUNK, end - place), place))
    os.ftruncate(target, size - start)
    os.fsync(target)
