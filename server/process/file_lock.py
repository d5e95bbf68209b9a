"""Locks of files and folders between processes. One is let go when its process ends, however that happens."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file or folder; False where somebody else has it. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def lock_file(file: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold the lock of a file, which is made if need be, for the block; True if we have it.

    Without `wait` it is False where somebody else has it. Raises OSError.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if wait:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield wait or try_lock(descriptor)
    finally:
        os.close(descriptor)
