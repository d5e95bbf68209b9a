"""The folder of the history and what is done with its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from builder.store import walk

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


def whole(file: int, size: int) -> bytes:
    """The first `size` bytes of a file. Raises OSError."""
    parts: list[bytes] = []
    place = 0
    while place < size and (part := os.pread(file, size - place, place)):
        parts.append(part)
        place += len(part)
    return b"".join(parts)
