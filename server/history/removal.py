"""Remove a folder with all that is in it, however deep; no link is followed.

What the standard library has for that calls itself for each folder within a folder, and a site from
somebody may have more of them than Python allows. Here folders within folders are moved up.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from builder.errors import StorageError
from builder.store import reserve, walk


def remove(folder: Path) -> None:
    """Delete a folder, if it is there. Raises StorageError when it is none, or the system refuses."""
    try:
        with suppress(FileNotFoundError):
            _remove(folder)
    except OSError as error:
        if reserve.is_full(error):
            raise  # room is made then
        raise StorageError(
            f"a process has left this here, and it cannot be removed: {error.strerror}",
            path=str(folder),
            hint="remove it yourself; nothing in it is needed",
        ) from error


def _remove(folder: Path) -> None:
    top = os.open(folder, walk.FLAGS | os.O_DIRECTORY)
    try:
        while inner := _flat(top, top):
            for name in inner:
                own = os.open(name, walk.FLAGS | os.O_DIRECTORY, dir_fd=top)
                try:
                    _flat(own, top)
                finally:
                    os.close(own)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    folder.rmdir()


def _flat(folder: int, top: int) -> list[str]:
    """Remove the files in a folder and move its folders to the top one, whose own ones are given."""
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
        elif folder != top:
            os.rename(name, secrets.token_hex(8), src_dir_fd=folder, dst_dir_fd=top)
    return [name for name, is_folder in listed if is_folder]
