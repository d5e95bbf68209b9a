"""Where the database of a site on a writer's own machine is: below the site, and in nobody's repository."""

from __future__ import annotations

from pathlib import Path

from server.control.database import Database
from server.control.errors import DatabaseError

OUTER, STATE, NAME = ".twinpress", "state", "control.sqlite3"
IGNORED = "# What Twinpress keeps here is for this machine alone: keys and history.\n*\n"


def local_database(site: Path) -> Database:
    """The database of the site in the folder `site`; `.twinpress/state` and the file are made when needed.

    Raises DatabaseError when the folder cannot be made, or is a link to somewhere else.
    """
    outer = site / OUTER
    state = outer / STATE
    try:
        for folder, mode in ((outer, 0o777), (state, 0o700)):
            _make(folder, mode)
        _ignore(outer / ".gitignore")
    except OSError as error:
        message = f"the folder for keys cannot be made: {error.strerror or error}"
        raise DatabaseError(message, path=str(error.filename or state), hint="let it be written") from error
    return Database(state / NAME)


def _make(folder: Path, mode: int) -> None:
    """A link would lead out of the site, and a site may come from anybody."""
    if folder.is_symlink():
        message = "a symbolic link stands where Twinpress keeps its own files"
        raise DatabaseError(message, path=str(folder), hint="remove the link")
    folder.mkdir(mode, exist_ok=True)


def _ignore(file: Path) -> None:
    """Have git leave the folder out, unless its owner has said something else."""
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(IGNORED)
    except FileExistsError:
        return
