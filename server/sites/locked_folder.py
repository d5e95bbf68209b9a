"""Folders that are locked for as long as a process works in them: others are what a crash has left."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from builder.store import walk
from server.process.file_lock import try_lock

_BYTES = 8


def make_locked(parent: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder with a name that begins so, and lock it; return it and its descriptor.

    One that is swept before it is locked is made again. Raises OSError.
    """
    while True:
        folder = parent / f"{prefix}{os.urandom(_BYTES).hex()}"
        descriptor = lock_new(folder)
        if descriptor is not None:
            return folder, descriptor


def with_prefix(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield the folders that `make_locked` has made here, and that are not removed."""
    return parent.glob(f"{prefix}{'[0-9a-f]' * 2 * _BYTES}")


def lock_new(folder: Path) -> int | None:
    """Make this folder, and lock it; None where it is swept before it is locked. Raises OSError."""
    folder.mkdir(0o700)
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, walk.FLAGS | os.O_DIRECTORY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if folder.exists():
            return descriptor
        os.close(descriptor)
    return None


@contextmanager
def locked_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder for the time of the block, gone behind it; those that others have left go before it."""
    sweep(with_prefix(parent, prefix))
    folder, descriptor = make_locked(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


@contextmanager
def taken_over(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder that somebody has left; False where it is gone, or somebody works in it."""
    try:
        descriptor = os.open(folder, walk.FLAGS | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        yield False
        return
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def sweep(folders: Iterable[Path]) -> None:
    """Remove those of the folders in which nobody works any more."""
    for folder in list(folders):
        with taken_over(folder) as ours:
            if ours:
                shutil.rmtree(folder, ignore_errors=True)
