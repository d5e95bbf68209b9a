"""Put files and folders on the disk before anything relies on them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from builder.errors import TwinpressError

T = TypeVar("T")


def write_whole(file: Path, write: Callable[[IO[bytes]], T]) -> T:
    """Have `write` write a file, whole or not at all, for one's own eyes; gives what that gives.

    A file that was there is as it was until the new one is on the disk. Raises OSError, and as `write` does.
    """
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as beside:
            found = write(beside)
            beside.flush()
            os.fsync(descriptor)
        Path(name).rename(file)
        sync_folder(file.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return found


@contextmanager
def told_where(message: str, file: Path) -> Iterator[None]:
    """Turn an OSError into a TwinpressError with this message: a file that was named cannot be written."""
    try:
        yield
    except OSError as error:
        place = str(error.filename or file)
        hint = "name a file in a folder with room for it"
        raise TwinpressError(f"{message}: {error.strerror or error}", path=place, hint=hint) from error


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk: of what was renamed or linked there, say.

    Raises OSError.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
