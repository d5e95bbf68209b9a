"""Room that is kept on the site's disk, in `.twinpress/state/reserve`, for removing pages when it is full.

The history keeps what is removed, and needs room for that first: without any, nobody could make some. What
only removes gives the reserve back to the disk, is made, and takes the reserve again; so does who brings the
history up to date, without the site's lock but with one of the reserve: who removes something waits for it.
Meanwhile, and after a kill in between, the file is shorter than it is to be, and what would write has to
leave as much as is missing.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from builder.store import walk

NAME = "reserve"
SIZE = 4 * 1024 * 1024
"""Bytes: a page in both formats and its twin, all of the largest size, and what the history says of them."""
SHARE = 12
"""Of a disk of less than 48 MB the reserve is this part: what is removed there is small, too."""
PLENTY = 10
"""So many times as much must be free for the reserve to be taken for the first time."""
_LEFT = 64 * 1024
"""Bytes that are left free when it is taken again."""
_BLOCK = 4096
_COPIES = 3
"""The new page, and both the old and the new one in the history."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_Result = TypeVar("_Result")


class Lent(OSError):
    """The disk is full, and the reserve is in use by who brings the history up to date; that ends soon."""


def begin(state: int) -> bool:
    """Take the reserve if it was never taken, and there is plenty of room; return whether there is one then.

    The site's lock must be held. Raises OSError when the folder cannot be written.
    """
    return _size(state) is not None or keep(state) > 0


def keep(state: int) -> int:
    """Take what is missing of the reserve, as far as there is room; how many bytes there are of it then.

    The site's lock must be held. Raises OSError when the folder cannot be written.
    """
    have = _size(state)
    if have is None and _free(state) < PLENTY * whole(state):
        return 0
    have = have or 0
    room = max(0, _free(state) - _LEFT)
    wanted = min(whole(state), have + room) // _BLOCK * _BLOCK
    return _take(state, have, wanted) if wanted > have else have


def with_room(state: int, act: Callable[[], _Result], again: Callable[[], None]) -> _Result:
    """Do what makes room; on a full disk a second time with the reserve's room, which is taken again then.

    `again` is called between the two. The site's lock must be held. Raises what `act` does, and Lent when
    others use the room: let go of the lock, and try again.
    """
    try:
        return act()
    except OSError as error:
        if not is_full(error):
            raise
        if not release(state):
            if _is_lent(state):
                raise Lent(error.errno, error.strerror) from error
            raise
    try:
        again()
        return act()
    finally:
        with suppress(OSError):  # it stays owed, and the next one takes it
            keep(state)


def is_full(error: BaseException | None) -> bool:
    """Return whether an error says that there is no room."""
    return isinstance(error, OSError) and error.errno in _FULL


def is_whole(state: int) -> bool:
    """Return whether nothing of the reserve is missing."""
    return (_size(state) or 0) >= whole(state)


def whole(state: int) -> int:
    """Return the bytes that the reserve has on this disk when nothing of it is missing."""
    about = os.statvfs(state)
    return min(SIZE, about.f_blocks * about.f_frsize // SHARE // _BLOCK * _BLOCK)


def is_tight(state: int) -> bool:
    """Return whether the disk has so little room that who removes something may want to make some."""
    return _free(state) < PLENTY * SIZE


def release(state: int) -> bool:
    """Give the room to the disk; whether there was any. Raises OSError."""
    if not _size(state):
        return False
    file = _opened(state)
    try:
        os.ftruncate(file, 0)
    finally:
        os.close(file)
    return True


@contextmanager
def lent(state: int) -> Iterator[None]:
    """Have others wait who need the reserve: within the block it is used without the site's lock.

    Only one may do so at a time. Raises OSError.
    """
    if _size(state) is None:
        yield
        return
    file = _opened(state)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # a process forked meanwhile has it open, too
        os.close(file)


def _is_lent(state: int) -> bool:
    if _size(state) is None:
        return False
    file = _opened(state)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def check_room(state: int, size: int) -> None:
    """Raise OSError when a page of so many bytes would take room that is owed to the reserve."""
    have = _size(state)
    if have is None:
        return
    missing = whole(state) - have
    if missing > 0 and _free(state) < missing + _COPIES * size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _size(state: int) -> int | None:
    found = walk.look(state, NAME)
    return None if found is None else min(found.st_size, found.st_blocks * 512)


def _free(state: int) -> int:
    about = os.statvfs(state)
    return about.f_bavail * about.f_frsize


def _take(state: int, have: int, wanted: int) -> int:
    """Make the file so large; how large it is then."""
    file = _opened(state)
    try:
        if sys.platform == "linux":
            os.posix_fallocate(file, 0, wanted)
        else:  # bytes that no file system makes smaller
            os.pwrite(file, os.urandom(wanted - have), have)
    except OSError as error:
        os.ftruncate(file, have)
        if not is_full(error):
            raise
        return have
    finally:
        os.close(file)
    return wanted


def _opened(state: int) -> int:
    return os.open(NAME, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=state)
