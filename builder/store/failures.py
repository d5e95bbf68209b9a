"""Translate refusals of the file system into one kind of error, in words that say what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from builder.errors import NotAFile, PathConflict, StorageError
from builder.store.walk import Blocked

FULL = "the disk is full: make room and try again"
_HINTS = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: "the disk quota is used up: make room and try again",
    errno.EFBIG: "the file may not be that large here",
    errno.EROFS: "the folder is on a read-only file system",
    errno.EACCES: "give yourself the right to it",
    errno.EPERM: "give yourself the right to it",
    errno.ENOTDIR: "a file is where a folder belongs: move it away",
    errno.EIO: "the disk may be failing",
    errno.ENOLCK: "keep the site on a file system that has locks",
}


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Errors of reading `file` become StorageError, NotAFile where something else stands there.

    FileNotFoundError passes.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except Blocked as blocked:
        raise NotAFile(f"this is {blocked.kind}, not a file", path=file) from None
    except OSError as error:
        raise storage_error(file, error) from error


@contextmanager
def writing(file: str) -> Iterator[None]:
    """Errors of changing `file` become StorageError, or PathConflict when something else stands there."""
    try:
        yield
    except Blocked as blocked:
        message = f"`{blocked.name}` is {blocked.kind}, so nothing can be written there"
        raise PathConflict(message, path=file, hint="remove or rename it") from None
    except OSError as error:
        raise storage_error(file, error) from error


def storage_error(file: str, error: OSError) -> StorageError:
    """The error as the store raises it; its `__cause__` has the number."""
    said = error.strerror or str(error)
    if error.errno == errno.ENOTDIR and isinstance(error.filename, str):
        said = f"{said}: `{error.filename}`"
    return StorageError(f"the file system refuses: {said}", path=file, hint=_HINTS.get(error.errno or 0, ""))
