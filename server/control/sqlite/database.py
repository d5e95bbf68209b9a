"""The database of sites and keys: SQLite now, but the SQL that others hand in is plain.

Its tables come from numbered migrations: files of SQL, each applied once, in order, in one transaction.

Statements use `?` for values; times are whole seconds, ids are texts, and truth is 0 or 1.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TypeVar

import msgspec
from msgspec import Struct

from server.control.errors import NewerDatabase
from server.control.sqlite import database_copy
from server.control.sqlite.connections import Pool, check_plain, explained
from server.control.sqlite.database_file import Identity, identity, prepared

MIGRATIONS = files("server.control") / "migrations"
_NAME = re.compile(r"(?P<number>\d{4})_\w+\.sql")
_TABLE = """
    CREATE TABLE IF NOT EXISTS migrations (
        number INTEGER NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        applied_at BIGINT NOT NULL
    )
"""


class Migration(Struct, frozen=True):
    """One file of SQL."""

    number: int
    name: str
    statements: tuple[str, ...]


def known_migrations(folder: Traversable = MIGRATIONS) -> tuple[Migration, ...]:
    """The migrations in a folder, in order; they are numbered from 1 without a gap."""
    found = sorted(_read(folder), key=lambda migration: migration.number)
    numbers = [migration.number for migration in found]
    if numbers != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations are not numbered one after the other: {numbers}")
    return tuple(found)


def bring_up(connection: sqlite3.Connection, migrations: tuple[Migration, ...], path: Path) -> None:
    """Apply what is missing. Raises NewerDatabase when the database knows more than `migrations`."""
    connection.execute(_TABLE)
    for migration in migrations[_applied(connection, len(migrations), path) :]:
        _apply(connection, migration)


def _read(folder: Traversable) -> Iterator[Migration]:
    for file in folder.iterdir():
        form = _NAME.fullmatch(file.name)
        if form:
            yield Migration(int(form["number"]), file.name, tuple(_statements(file.read_text("utf-8"))))


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, in which each ends with a line; `executescript` would commit on its own."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise ValueError(f"a migration ends within a statement: {pending.strip()}")


def _applied(connection: sqlite3.Connection, wanted: int, path: Path) -> int:
    """Count the migrations that the database has."""
    rows = connection.execute("SELECT COUNT(*), COALESCE(MAX(number), 0) FROM migrations").fetchall()
    count, last = rows[0]
    if max(count, last) > wanted:
        raise NewerDatabase(
            "the database was last used by a newer version of Twinpress",
            path=str(path),
            hint="use that version, or a later one",
        )
    return int(count)


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute(
            "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)",
            (migration.number, migration.name, int(time.time())),
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


Value = str | int | None
Row = tuple[Value, ...]


R = TypeVar("R", bound=Struct)


def record_of(kind: type[R], row: Row) -> R:
    """The record whose fields have the values of a row, in their order. 0 and 1 are False and True."""
    return msgspec.convert(dict(zip(kind.__struct_fields__, row, strict=True)), kind, strict=False)


class Transaction(Struct, frozen=True):
    """A transaction: all that is written in it becomes true at once, or nothing of it."""

    _connection: sqlite3.Connection

    def read(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """All rows of a query, with what this change has written so far."""
        return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[Value] = ()) -> int:
        """The number of rows that the statement has changed."""
        return self._connection.execute(sql, values).rowcount


class _Opened(Struct, frozen=True):
    file: Identity | None
    pool: Pool


class ControlDatabase:
    """The database in the file `path`, which is made if it is not there and brought up to date if it is old.

    Any number of threads and processes may use one file at a time. What one has written, the next query of
    every other sees. A file that was removed or replaced meanwhile is noticed at the next query: the keys
    in it are gone. Not to be carried over a fork: open it again in the child.

    Everything here raises DatabaseError when the file cannot be used, with the subclasses DatabaseBusy and
    DatabaseFull; opening also raises NewerDatabase.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration] | None = None) -> None:
        self._path = path
        self._migrations = tuple(known_migrations() if migrations is None else migrations)
        self._reopening = Lock()
        self._opened = self._open()

    def __enter__(self) -> ControlDatabase:
        """The database itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close all connections; those in use close when they are done."""
        self._opened.pool.close()

    def read(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """All rows of a query."""
        with explained(self._path), self._pool().borrowed() as connection:
            # All of them: a query that is not read to its end would keep the state of its beginning.
            return connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Change something with one statement; gives the number of rows that it has changed."""
        with self.change() as change:
            return change.write(sql, values)

    @contextmanager
    def change(self) -> Iterator[Transaction]:
        """A transaction that is the only one that writes; it is on disk when the block has ended.

        An exception in the block takes all of it back.
        """
        with explained(self._path), self._pool().borrowed() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield Transaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise

    def copy_to(self, target: Path) -> None:
        """Copy all that is in it now to a file that is not there yet; writers go on meanwhile."""
        with explained(self._path), self._pool().borrowed() as connection:
            database_copy.write(connection, target)

    def _pool(self) -> Pool:
        opened = self._opened
        if identity(self._path) == opened.file:
            return opened.pool
        with self._reopening:
            if identity(self._path) != self._opened.file:
                self._opened.pool.close()
                self._opened = self._open()
            return self._opened.pool

    def _open(self) -> _Opened:
        with explained(self._path), prepared(self._path):
            pool = Pool(self._path)
            try:
                with pool.borrowed() as connection:
                    check_plain(connection, self._path)
                    bring_up(connection, self._migrations, self._path)
            except BaseException:
                pool.close()
                raise
            return _Opened(identity(self._path), pool)
