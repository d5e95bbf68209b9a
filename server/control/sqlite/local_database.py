"""The database of a site on a writer's own machine: below the site, and in nobody's repository."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from builder.store import state_check
from builder.store.walk import Blocked
from server.control.errors import DatabaseError
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.database_file import allowed

OUTER, STATE, NAME = ".twinpress", "state", "control.sqlite3"
IGNORED = "# What Twinpress keeps here is for this machine alone: keys and history.\n*\n"


def local_database(site: Path) -> ControlDatabase:
    """The database of the site in the folder `site`; `.twinpress/state` and the file are made when needed.

    Raises DatabaseError when the folder cannot be made, or is a link to somewhere else.
    """
    make_state(site)
    return ControlDatabase(site / OUTER / STATE / NAME)


def make_state(site: Path) -> None:
    """Make the folder `.twinpress/state` of a site, which git is told to ignore. Raises DatabaseError."""
    outer = site / OUTER
    state = outer / STATE
    with allowed(state / NAME):
        for folder, mode in ((outer, 0o777), (state, 0o700)):
            _make(folder, mode)
        _ignore(outer / ".gitignore")
        _check(site)


def _make(folder: Path, mode: int) -> None:
    """A link would lead out of the site, and a site may come from anybody."""
    if folder.is_symlink():
        message = "a symbolic link stands where Twinpress keeps its own files"
        raise DatabaseError(message, path=str(folder), hint="remove the link")
    folder.mkdir(mode, exist_ok=True)


def _check(site: Path) -> None:
    """A link in the state folder would lead out of the site, too. Raises DatabaseError and OSError."""
    try:
        state_check.check_state(site)
    except Blocked as blocked:
        message = f"{blocked.kind} stands among what Twinpress keeps"
        raise DatabaseError(message, path=str(site / blocked.name), hint="remove it") from None


def _ignore(file: Path) -> None:
    """Have git leave the folder out, unless its owner has said something else."""
    # Appended, so that an empty file that a full disk has left does not let keys into the repository.
    if _has_text(file):
        return
    with open(file, "a", encoding="utf-8", opener=_no_link) as ignoring:
        if ignoring.tell() == 0:
            ignoring.write(IGNORED)


def _has_text(file: Path) -> bool:
    """Return whether there is nothing to write, which a disk that cannot be written would refuse."""
    try:
        about = file.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size > 0


def _no_link(file: str, flags: int) -> int:
    return os.open(file, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
