"""The folder of the service's data, and in it the database of accounts, keys, databases and sites."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from server.control.errors import DatabaseError
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.database_file import allowed

NAME = "control.sqlite3"
SITES = "sites"
"""The folder of sites within the service's data; each site has one in it, which bears its id."""
OWN = 0o700
"""The folder's mode."""
PASS, ANYBODY = 0o011, stat.S_IWOTH
"""Where root runs the service, PostgreSQL's own user must reach what lies below it."""


def open_data(folder: Path) -> ControlDatabase:
    """The database in a folder, which is made when it is new. Raises DatabaseError."""
    prepare_data(folder)
    return ControlDatabase(folder / NAME)


def prepare_data(folder: Path) -> None:
    """Make the folder when it is new, and see who can reach it. Raises DatabaseError."""
    with allowed(folder / NAME):
        folder.parent.mkdir(exist_ok=True)
        folder.mkdir(OWN, exist_ok=True)
        _guard(folder)


def existing_data(folder: Path) -> ControlDatabase:
    """The same, but raises DatabaseError when there is no data yet: the folder may be mistyped."""
    if not (folder / NAME).is_file():
        raise DatabaseError(
            "there is no data of a Twinpress service here",
            path=str(folder),
            hint="check the name of the folder; `twinpress admin account create` creates a new one",
        )
    return open_data(folder)


def _guard(folder: Path) -> None:
    """The files are closed by themselves; this is about who may reach them, and who may replace them."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & ANYBODY:
        raise DatabaseError(
            "anybody may replace files in the data folder",
            path=str(folder),
            hint="use a folder of its own, or remove the right with `chmod o-w`",
        )
    if os.geteuid() == 0 and mode & PASS != PASS:
        folder.chmod(mode | PASS)
