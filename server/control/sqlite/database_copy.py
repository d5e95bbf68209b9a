"""A copy of a database in a file of its own, made while others write, and without what is over soon."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from server.control.sqlite.connections import explained
from server.control.sqlite.database_file import FILE, allowed

OVER_SOON = (
    "shown_once",
    "browser_sessions",
    "site_previews",
    "one_time_links",
    "passkey_challenges",
    "attempts",
    "orphans",
    "publish_jobs",
    "unpublished_writes",
    "begun_writes",
    "notices",
)
"""Tables that a backup does without: what opens something for minutes, counts attempts, or is found anew.

Jobs tell how publishes go on; what has come of them are releases, which have a part of their own in it.
"""
_SPARED = "DELETE FROM settings WHERE name LIKE 'spared:%'"


def write(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the database of a connection, as it is at one moment, to a file that is not there yet.

    Raises DatabaseError. The file is for its owner's eyes only.
    """
    with allowed(target):
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE))
    with explained(target), closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)


def strip(target: Path) -> None:
    """Remove from a copy what is over soon, also from pages that nothing stands in any more.

    The copy is one file then, without a journal beside it. Raises DatabaseError.
    """
    with explained(target), closing(sqlite3.connect(target, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE").close()
        for table in OVER_SOON:
            copy.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
        copy.execute(_SPARED)
        copy.execute("VACUUM")
