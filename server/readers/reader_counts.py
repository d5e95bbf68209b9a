"""The counts of all sites by day, in a database of their own: they are written and read without the service.

Any number of processes add to it, and their counts add up. Apart from the database of accounts and keys, of
which the process that serves sites knows nothing.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from builder.errors import StorageError
from server.readers.audience import OTHERS
from server.readers.tally import DAY, MOST, Counts, Group, TallyEntry

FOLDER, FILE = "readers", "counts.sqlite3"
KEPT_DAYS = 396
"""Thirteen months, so that each month can be compared with that of last year."""
Value = str | int
Row = tuple[Value, ...]
_TABLE = """
    CREATE TABLE IF NOT EXISTS counts (
        site TEXT NOT NULL,
        day INTEGER NOT NULL,
        subject TEXT NOT NULL,
        name TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (site, day, subject, name)
    ) WITHOUT ROWID
"""
_ADD = "UPDATE counts SET count = count + ? WHERE site = ? AND day = ? AND subject = ? AND name = ?"
_NEW = "INSERT INTO counts (count, site, day, subject, name) VALUES (?, ?, ?, ?, ?)"
_NAMES = "SELECT COUNT(*) FROM counts WHERE site = ? AND day = ? AND subject = ? AND name != ''"
_SITES = """
    WITH RECURSIVE known (site) AS (
        SELECT MIN(site) FROM counts
        UNION ALL
        SELECT (SELECT MIN(site) FROM counts WHERE counts.site > known.site) FROM known
        WHERE known.site IS NOT NULL
    )
    SELECT site FROM known WHERE site IS NOT NULL
"""
"""Each site once, found without a look at every row."""
_BATCH = 2_000
"""Entries that are written in one change, for which other processes wait."""
_PATIENCE = 5.0
_OWN_FOLDER, _OWN_FILE = 0o700, 0o600


class ReaderCounts:
    """The counts in the data folder of a service; the file is made with the first of them.

    Safe to use from several threads. Raises StorageError where the file cannot be used.
    """

    def __init__(self, data: Path, clock: Callable[[], float] = time.time) -> None:
        self._file = data / FOLDER / FILE
        self._clock = clock

    def add(self, counts: Counts) -> None:
        """Add counts to those that are there, and remove them from `counts`: what stays was not written.

        Those that are most are the first to get a name of their own.
        """
        entries = sorted(counts, key=lambda entry: -counts[entry])
        with self._connected() as connection:
            for start in range(0, len(entries), _BATCH):
                batch, names = entries[start : start + _BATCH], dict[Group, int]()
                with _change(connection):
                    for entry in batch:
                        _add(connection, entry, counts[entry], names)
                for entry in batch:
                    del counts[entry]

    def read(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """Return all rows of a query, none before anything was counted."""
        if not self._file.exists():
            return []
        with self._connected() as connection:
            return connection.execute(sql, values).fetchall()

    def copy_to(self, target: Path) -> bool:
        """Copy all counts to a file that is not there yet; False where there are none."""
        if not self._file.exists():
            return False
        with self._connected() as connection, closing(sqlite3.connect(target)) as copy:
            connection.backup(copy)
        return True

    def forget(self, known: Collection[str]) -> None:
        """Delete what is too old, and what is of sites that are none of these."""
        first = int(self._clock()) // DAY - KEPT_DAYS
        for (site,) in self.read(_SITES, ()):
            where = ("site = ? AND day < ?", (site, first)) if site in known else ("site = ?", (site,))
            self._delete(*where)

    def forget_searches(self, site: str) -> None:
        """Delete what was searched for on a site."""
        if self._file.exists():
            self._delete("site = ? AND subject = 'search'", (site,))

    def _delete(self, where: str, values: Sequence[Value]) -> None:
        with self._connected() as connection:
            connection.execute(f"DELETE FROM counts WHERE {where}", values).close()  # noqa: S608 - a constant

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection for the time of the block: nothing is kept open of a file that may be replaced."""
        try:
            _prepare(self._file)
            with closing(_connect(self._file)) as connection:
                yield connection
        except (OSError, sqlite3.Error) as error:
            hint = "see that the disk has room, and that the folder can be written"
            raise StorageError(f"the counts of readers: {error}", path=str(self._file), hint=hint) from error


def counts_folder(data: Path) -> Sequence[Path]:
    """Return the folder of counts, made if need be; none where it cannot be, which the first write tells."""
    with suppress(OSError):
        (data / FOLDER).mkdir(_OWN_FOLDER, parents=True, exist_ok=True)
    return [data / FOLDER] if (data / FOLDER).is_dir() else []


def _prepare(file: Path) -> None:
    """Make the file, and turn its journal on, which SQLite does for one at a time without waiting."""
    if file.exists():
        return
    file.parent.mkdir(_OWN_FOLDER, parents=True, exist_ok=True)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        beside = file.with_suffix(".new")
        beside.unlink(missing_ok=True)
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, _OWN_FILE))
        with closing(_connect(beside)) as connection:
            connection.execute("PRAGMA journal_mode = WAL").close()
            connection.execute(_TABLE).close()
        if not file.exists():
            beside.rename(file)
    finally:
        os.close(folder)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL").close()
    return connection


@contextmanager
def _change(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE").close()
    try:
        yield
        connection.execute("COMMIT").close()
    except BaseException:
        connection.rollback()
        raise


def _add(connection: sqlite3.Connection, entry: TallyEntry, count: int, names: dict[Group, int]) -> None:
    """Add to a row; where the day has as many names as it may have, to that of the others."""
    if connection.execute(_ADD, (count, *entry)).rowcount:
        return
    group = entry.group
    if entry.name != OTHERS:
        if group not in names:
            names[group] = connection.execute(_NAMES, group).fetchone()[0]
        if names[group] >= MOST[entry.subject]:
            _add(connection, entry._replace(name=OTHERS), count, names)
            return
        names[group] += 1
    connection.execute(_NEW, (count, *entry)).close()
