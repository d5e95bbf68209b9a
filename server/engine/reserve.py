"""Room that is kept on the server's disk, for it to start with when the disk is full.

A server that cannot write its journal ends, and cannot start again, as it has to write for that, too: nobody
could have it remove anything.
"""

from __future__ import annotations

import logging
import os
import shutil

from server.engine.place import Place

SIZE = 32 * 1024 * 1024
"""Bytes: two files of the journal."""
PLENTY, LITTLE = 10, 2
"""So many times as much must be free to make it, and where it is gone, to do without."""
_LOG = logging.getLogger("twinpress.engine")


def keep(place: Place) -> None:
    """Take the room, unless it is taken, or the disk has little. Raises OSError when it cannot be written."""
    if place.reserve.exists() or shutil.disk_usage(place.root).free < PLENTY * SIZE:
        return
    descriptor = os.open(place.reserve, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, SIZE)
    except OSError:
        place.reserve.unlink()
        raise
    finally:
        os.close(descriptor)


def is_needed(place: Place) -> bool:
    """Whether it is gone, and the disk has so little room that it would be wanted."""
    return not place.reserve.exists() and shutil.disk_usage(place.root).free < LITTLE * SIZE


def release(place: Place) -> bool:
    """Give the room to the server, and tell it; whether there was any."""
    if not place.reserve.exists():
        return False
    place.reserve.unlink()
    _LOG.error(
        "the disk of %s is full: PostgreSQL is started with the %d MB that were kept for that; "
        "tenants stay out until you have made room on that disk",
        place.root,
        SIZE // 1024**2,
    )
    return True
