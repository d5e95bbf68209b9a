"""The database's place on disk: a folder and a file for its owner's eyes only, opened by one at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.control.errors import DatabaseError, DatabaseFull, DatabaseLocked
from server.control.sqlite.connections import ALLOW, PATIENCE

FOLDER, FILE = 0o700, 0o600
Identity = tuple[int, int]
"""Device and inode: what makes a file the same file."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PAUSE = 0.005


def identity(path: Path) -> Identity | None:
    """Return the identity of the file that is there now; None when there is none."""
    try:
        about = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return about.st_dev, about.st_ino


@contextmanager
def prepared(path: Path) -> Iterator[None]:
    """The file is there, empty when it is new, and nobody else opens it for the time of the block.

    Two that made a database at once would both turn its journal on, which SQLite does not wait for.
    Raises DatabaseError when the operating system refuses, or a symbolic link stands there.
    """
    with allowed(path):
        # Only the nearest two: a site that was moved away must not come back as an empty folder.
        path.parent.parent.mkdir(exist_ok=True)
        path.parent.mkdir(FOLDER, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _wait(folder, path)
            _make(path)
            yield
        finally:
            os.close(folder)


@contextmanager
def allowed(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses on the way to the database into a DatabaseError."""
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        kind, hint = (DatabaseFull, "make room on the disk") if full else (DatabaseError, ALLOW)
        message = f"the database cannot be opened: {error.strerror or error}"
        raise kind(message, path=str(error.filename or path), hint=hint) from error


def _wait(folder: int, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                message = (
                    f"another program has been opening the database for more than {PATIENCE:.0f} seconds"
                )
                raise DatabaseLocked(message, path=str(path), hint="end it, or wait") from None
        time.sleep(_PAUSE)


def _make(path: Path) -> None:
    """An existing file is never opened here: to close it again would take SQLite's locks away from it."""
    try:
        about = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE))
        return
    if not stat.S_ISREG(about.st_mode):
        message = "something that is no ordinary file stands where the database belongs"
        raise DatabaseError(message, path=str(path), hint="remove it")
    if stat.S_IMODE(about.st_mode) & ~FILE:
        path.chmod(FILE)
