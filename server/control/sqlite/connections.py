"""Connections to one SQLite file, and its errors as ours. Nothing else imports `sqlite3`."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from server.control.errors import DatabaseError, DatabaseFull, DatabaseLocked

PATIENCE = 5.0
"""Seconds that a writer waits for another one."""

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
BROKEN = {
    sqlite3.SQLITE_NOTADB: "the file is no database of Twinpress",
    sqlite3.SQLITE_CORRUPT: "the database is damaged",
    sqlite3.SQLITE_READONLY: "the database cannot be written",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened",
    sqlite3.SQLITE_PERM: "the database cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk refused to read or write the database",
}
REPLACE = "restore a copy of the file, or delete it with its keys and create new ones"
ALLOW = "check that the folder and the file belong to you and that the disk can be written"


def connect(path: Path) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; statements outside `BEGIN` commit at once."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        # FULL: a key that was deleted stays deleted, also when the power fails in the next moment.
        for setting in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {setting}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def check_plain(connection: sqlite3.Connection, path: Path) -> None:
    """Raises DatabaseError for a database that does things by itself, as none of ours does.

    It may have come with a site from somebody: a trigger would add that one's keys to each that is made.
    """
    acts = connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchall()
    if acts:
        raise DatabaseError("the database has triggers or views", path=str(path), hint=REPLACE)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite refuses into a DatabaseError with a way out; mistakes in SQL stay what they are."""
    try:
        yield
    except sqlite3.Error as error:
        known = _known(path, getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if known is None:
            raise
        raise known from error


def _known(path: Path, code: int) -> DatabaseError | None:
    """The error for SQLite's primary result code."""
    if code in BUSY:
        message = f"another program has held the database for more than {PATIENCE:.0f} seconds"
        return DatabaseLocked(message, path=str(path), hint="end it, or wait")
    if code == sqlite3.SQLITE_FULL:
        return DatabaseFull("there is no room for the database", path=str(path), hint="make room on the disk")
    if code not in BROKEN:
        return None
    hint = REPLACE if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT} else ALLOW
    return DatabaseError(BROKEN[code], path=str(path), hint=hint)


class Pool:
    """The idle connections to one file. There are as many as were ever in use at one time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False

    @contextmanager
    def borrowed(self) -> Iterator[sqlite3.Connection]:
        """A connection of one's own for the time of the block."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self._path)
        try:
            yield connection
        finally:
            self._idle.append(connection)
            if self._closed:
                self.close()

    def close(self) -> None:
        """Close all connections: those in use now as soon as they are given back."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()
