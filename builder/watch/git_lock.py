"""Tell whether git is just changing the files of a site: a switch of branches, a pull, a rebase."""

from __future__ import annotations

import os
import time
from pathlib import Path

LONGEST = 10.0
"""Seconds after which a lock is one that git has left behind."""
_LOCK = "index.lock"
_POINTER = "gitdir: "
_POINTER_BYTES = 4096


class Checkout:
    """The repository that the folder `root` is in, if it is in one. Nothing in it is changed."""

    def __init__(self, root: Path) -> None:
        here = root.resolve()
        found = (_repository(folder) for folder in (here, *here.parents))
        self._lock = next((folder / _LOCK for folder in found if folder is not None), None)

    @property
    def is_under_way(self) -> bool:
        """Whether git has locked the index, which it does for as long as it changes files."""
        if self._lock is None:
            return False
        try:
            # One from the future, as when the clock is put back, says nothing either.
            return abs(time.time() - self._lock.stat().st_mtime) < LONGEST
        except (OSError, ValueError):  # the latter of a way that no system takes
            return False


def _repository(folder: Path) -> Path | None:
    """Where git keeps what it knows of a folder at the top of a work tree."""
    found = folder / ".git"
    try:
        if found.is_dir():
            return found
        # Without O_NONBLOCK, opening a pipe would wait for its writer.
        with open(os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            text = file.read(_POINTER_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return folder / text.removeprefix(_POINTER).strip() if text.startswith(_POINTER) else None
