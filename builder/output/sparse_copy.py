"""Copy a file so that its holes, ranges of zeros that take no room on the disk, are holes in the copy too."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress

from builder.store.temp_files import write_all
from builder.store.walk import CHUNK

_CLONE = 0x40049409
"""FICLONE of Linux: share all of another file's blocks until one of the two changes."""
_AT_ONCE = 64 * CHUNK


def copy(source: int, target: int) -> None:
    """Copy all bytes that an open file has now into a new one. Raises OSError."""
    if _cloned(source, target):
        return
    size = os.fstat(source).st_size
    for start, end in ranges(source, 0, size):
        if not _copied(source, target, start, end):
            _write(source, target, start, end)
    os.ftruncate(target, size)


def _cloned(source: int, target: int) -> bool:
    """Return whether the file system can share the blocks of the two, which takes no time and no room."""
    with suppress(OSError):
        fcntl.ioctl(target, _CLONE, source)
        return True
    return False


def ranges(source: int, start: int, size: int) -> Iterator[tuple[int, int]]:
    """The ranges behind a place that hold data; all of it where the file system does not tell."""
    end = start
    while end < size:
        try:
            start = os.lseek(source, end, os.SEEK_DATA)
            end = min(os.lseek(source, start, os.SEEK_HOLE), size)
        except OSError as error:
            if error.errno != errno.ENXIO:  # which says that no data follows
                yield end, size
            return
        if start >= size:
            return
        yield start, end


def _copied(source: int, target: int, start: int, end: int) -> bool:
    """Return whether the system itself has copied a range; False where it cannot between these two files."""
    place = start
    while place < end:
        try:
            done = os.copy_file_range(source, target, min(end - place, _AT_ONCE), place, place)
        except (OSError, AttributeError):
            return False  # what is wrong with the disk is told by a plain write
        if done == 0:
            return False
        place += done
    return True


def _write(source: int, target: int, start: int, end: int) -> None:
    os.lseek(target, start, os.SEEK_SET)
    place = start
    while place < end:
        piece = os.pread(source, min(end - place, CHUNK), place)
        if not piece:
            return  # it has been made shorter meanwhile
        write_all(target, piece)
        place += len(piece)
