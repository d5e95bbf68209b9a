"""Find out who else has a file open to write into it, and read what it says once he is done.

Of somebody who is about to save a file, nothing else shows.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
import time

from builder.errors import RevisionMismatch
from builder.store import walk
from builder.store.atomic_rename import has_exchange
from builder.store.keeper import Turn
from builder.store.records import state_of
from builder.store.temp_files import KEEP_LIMIT, split

SETTLED, EMPTY = 50_000_000, 300_000_000
"""Nanoseconds since somebody else has changed a file, after which it is taken to be whole; an empty one may
be one that an editor has begun to save."""


def read_settled(turn: Turn, file: str, *, insists: bool) -> bytes | None:
    """Read a file once it is settled: an editor that has just begun to save it may not be done yet.

    Raises RevisionMismatch when it is saved meanwhile.
    """
    if not insists and not _is_left(turn.root, file):
        raise RevisionMismatch("the file is just being saved", path=file, hint="read it again")
    found, about = _content(turn.root, file)
    if about is None or insists or turn.own.get(file) == state_of(about).identity:
        return found
    age, settled = time.time_ns() - about.st_mtime_ns, SETTLED if found else EMPTY
    if 0 <= age < settled:
        time.sleep((settled - age) / 1e9)
        if _content(turn.root, file)[0] != found:
            raise RevisionMismatch("the file is just being saved", path=file, hint="read it again")
    return found


def _is_left(root: int, file: str) -> bool:
    """Return whether nobody has a file open to save it, or soon no more: it need not be displaced."""
    parts, name = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return let_go(folder, name, SETTLED / 1e9)
    except FileNotFoundError:
        return True


def _content(root: int, file: str) -> tuple[bytes, os.stat_result] | tuple[None, None]:
    parts, name = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return walk.read_file(folder, name, KEEP_LIMIT)
    except FileNotFoundError:
        return None, None
    except walk.TooLarge:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), file) from None


PATIENCE = 0.2
"""Seconds in which an editor that has opened a file has saved it, on a busy machine too. A program that keeps
its file open, as those that write logs do, is not waited for any longer."""
_PAUSE = 0.001


def let_go(folder: int, name: str, patience: float = 0.0) -> bool:
    """Return whether nobody has a file open for writing, as the system tells, after at most so many seconds.

    It tells an owner of his files, and root of all, where it knows an exchange of names. Raises
    FileNotFoundError and OSError.
    """
    end = time.monotonic() + patience
    if not _is_held(folder, name):
        return True
    # Network drives refuse leases for reasons of their own. They know no exchange either.
    if not has_exchange(folder):
        return True
    while time.monotonic() < end:
        time.sleep(_PAUSE)
        if not _is_held(folder, name):
            return True
    return False


def _is_held(folder: int, name: str) -> bool:
    if sys.platform != "linux":
        return False
    try:
        descriptor, _ = walk.open_file(folder, name)
    except walk.Blocked:
        return False  # no file, which whoever reads it will say
    try:
        # Who opens it while we have the lease waits for its end, and we get a signal: not one that ends us.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        # Any other number: there are no leases here, or none for us. What is written shows once it is there.
        return error.errno == errno.EAGAIN
    finally:
        os.close(descriptor)
    return False
