"""Room that is kept on the server's disk, for it to start with when the disk is full.

A server that cannot write its journal ends, and cannot start again, as it has to write for that, too: nobody
could have it remove anything.

A layer below `embedded`, which starts the server: it knows files alone.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from pathlib import Path

from server.postgres.errors import EngineError
from server.postgres.run.server_files import ServerFiles

SIZE = 32 * 1024 * 1024
"""Bytes: two files of the journal."""
PLENTY, LITTLE = 10, 2
"""So many times as much must be free to make it, and where it is gone, to do without."""
_LOG = logging.getLogger("twinpress.engine")


def keep(place: ServerFiles) -> None:
    """Take the room, unless it is taken, or the disk has little. Raises EngineError when that is refused."""
    if place.reserve.exists() or shutil.disk_usage(place.root).free < PLENTY * SIZE:
        return
    try:
        _write(place.reserve)
    except OSError as error:
        place.reserve.unlink(missing_ok=True)
        message = f"no room can be reserved on the server's disk: {error.strerror or error}"
        raise EngineError(
            message, path=str(place.reserve), hint="check that the folder can be written"
        ) from error


def _write(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if sys.platform == "linux":
            os.posix_fallocate(descriptor, 0, SIZE)
        else:  # bytes that no file system makes smaller
            os.write(descriptor, os.urandom(SIZE))
    finally:
        os.close(descriptor)


def is_needed(place: ServerFiles) -> bool:
    """Return whether it is gone, and the disk has so little room that it would be wanted."""
    return not place.reserve.exists() and shutil.disk_usage(place.root).free < LITTLE * SIZE


def release(place: ServerFiles) -> bool:
    """Give the room to the server, and tell it; whether there was any."""
    if not place.reserve.exists():
        return False
    place.reserve.unlink()
    _LOG.error(
        "the disk of %s is full: PostgreSQL starts with the %d MB that were reserved for this; "
        "tenants cannot log in until you make room on that disk",
        place.root,
        SIZE // 1024**2,
    )
    return True
