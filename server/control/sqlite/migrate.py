"""Numbered migrations: files of SQL, each applied once, in order, in a transaction of its own.

A layer below `database`: it has one connection, and knows neither pools nor threads.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

from server.control.errors import NewerDatabase

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


def known(folder: Traversable = MIGRATIONS) -> tuple[Migration, ...]:
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
