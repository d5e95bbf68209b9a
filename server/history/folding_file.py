"""The file of pending changes that was put aside to be folded: no writer adds to it any more."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from builder.store import walk
from server.history import files, pending_log

NAME, FOLDING = "pending", "folding"


def rotate(state: int) -> None:
    """Put the settled file aside for folding; there must be none aside yet. Raises OSError."""
    with files.folder(state) as folder, suppress(FileNotFoundError):
        os.rename(NAME, FOLDING, src_dir_fd=folder, dst_dir_fd=folder)


def aside(state: int, *, sync: bool = False) -> pending_log.Pending | None:
    """Read the file that was put aside, None when there is none. Raises Garbled, and OSError.

    It is empty where the first change was refused.
    """
    with _aside(state) as file:
        if file is None:
            return None
        if sync:
            os.fdatasync(file)
        size = os.fstat(file).st_size
        return pending_log.parse(files.OpenBytes(file, size)) if size else pending_log.Pending("")


def aside_id(state: int) -> str:
    """The ID of the file that was put aside; empty when there is none, or it cannot be read."""
    try:
        with _aside(state) as file:
            return "" if file is None else pending_log.identity_of(os.pread(file, pending_log.HEAD, 0))
    except pending_log.Garbled:
        return ""


def folded(state: int) -> None:
    """Note that the changes put aside are in the repository."""
    with files.folder(state) as folder, suppress(FileNotFoundError):
        os.unlink(FOLDING, dir_fd=folder)


def set_apart(state: int) -> str:
    """Move a file that cannot be read out of the way, and give its new name; nothing of it is deleted."""
    name = f"{files.UNREADABLE}{secrets.token_hex(4)}"
    with files.folder(state) as folder:
        os.rename(FOLDING, name, src_dir_fd=folder, dst_dir_fd=folder)
    return name


@contextmanager
def _aside(state: int) -> Iterator[int | None]:
    try:
        with walk.folder(state, (files.FOLDER,)) as folder:
            file, _ = walk.open_file(folder, FOLDING)
    except FileNotFoundError:
        yield None
        return
    try:
        yield file
    finally:
        os.close(file)
