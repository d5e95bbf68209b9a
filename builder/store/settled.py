"""Read a file before it is changed, once whoever saves it is done."""

from __future__ import annotations

import errno
import os
import time

from builder.errors import RevisionMismatch
from builder.store import walk
from builder.store.keeper import Turn
from builder.store.open_elsewhere import let_go
from builder.store.temp_files import KEEP_LIMIT, split, state_of

SETTLED, EMPTY = 50_000_000, 300_000_000
"""Nanoseconds since somebody else has changed a file, after which it is taken to be whole; an empty one may
be one that an editor has begun to save."""


def read_settled(turn: Turn, file: str, *, insists: bool) -> bytes | None:
    """What a file says, once it is settled: an editor that has just begun to save it may not be done yet.

    Raises RevisionMismatch when it is saved meanwhile.
    """
    if not insists and not _is_left(turn.root, file):
        raise RevisionMismatch("the file is just being saved", path=file, hint="read it again")
    found, about = _content(turn.root, file)
    if about is None or insists or turn.own.get(file) == state_of(about):
        return found
    age, settled = time.time_ns() - about.st_mtime_ns, SETTLED if found else EMPTY
    if 0 <= age < settled:
        time.sleep((settled - age) / 1e9)
        if _content(turn.root, file)[0] != found:
            raise RevisionMismatch("the file is just being saved", path=file, hint="read it again")
    return found


def _is_left(root: int, file: str) -> bool:
    """Whether nobody has a file open to save it, or is done with it soon: so it need not be displaced."""
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
