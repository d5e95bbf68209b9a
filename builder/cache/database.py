"""The file of the cache: rows of bytes in SQLite, which several builds may use at once.

The row of a page is used only under the key that it was written with, so it does not matter which build wrote
it last. Rows of the whole site say what they belong to.
Its values are sealed: `builder/cache/checksum.py` tells why.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal

from builder.cache import owner
from builder.cache.changes import Changes
from builder.cache.checksum import Damaged, opened, sealed
from builder.render import CachedPage
from builder.store import walk

FOLDER = (".twinpress", "cache")
NAME = "pages.db"
PATIENCE = 5.0
"""Seconds to wait for another build that is just writing; after that nothing is kept."""

PAGE_SIZE = 32_768
"""Bytes of a page of the file, as SQLite calls it."""

FORMAT = 6
"""To be raised when values are kept in another way: the file of another Twinpress is made anew, untold."""

ANCHORS = "anchors"
INDEX = "search"
OWNER = "owner"
PARTS = "parts"
BUILT = "built"
"""They stand in the place of a folder, which begins with a slash; the last one before it."""

_TABLES = (
    "CREATE TABLE source (path TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID",
    "CREATE TABLE text (path TEXT, mark BLOB, data BLOB, PRIMARY KEY (path, mark))",
    "CREATE TABLE page (path TEXT PRIMARY KEY, key BLOB, facts BLOB, body BLOB, twin BLOB, search BLOB)",
    "CREATE TABLE known (path TEXT PRIMARY KEY, key BLOB, data BLOB) WITHOUT ROWID",
    "CREATE TABLE output (folder TEXT PRIMARY KEY, data BLOB)",
    "CREATE TABLE leaf (name TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID",
)
_DAMAGED = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR}
)


class Outdated(Exception):
    """The file is one of another Twinpress."""


class Unusable(Exception):
    """There can be no cache here and now; says why."""


class Database:
    """The cache of the site in `root`, which is made if it is not there.

    Every method raises Damaged or Unusable, the first use of a file Outdated.
    """

    def __init__(self, root: Path, name: str = NAME) -> None:
        self.path = root.joinpath(*FOLDER, name)
        with _explained():
            _make_room(root, name)
            # Texts are read where they are wanted, in any thread; SQLite lets in one at a time.
            self._connection = sqlite3.connect(
                self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(root)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()

    @staticmethod
    def is_there(root: Path, name: str = NAME) -> bool:
        """Return whether there is a file."""
        return root.joinpath(*FOLDER, name).is_file()

    @staticmethod
    def remove(root: Path, name: str = NAME) -> None:
        """Delete the file."""
        path = root.joinpath(*FOLDER, name)
        with _explained():
            path.unlink(missing_ok=True)
            path.with_name(f"{name}-journal").unlink(missing_ok=True)

    def sources(self) -> dict[str, bytes]:
        """Return the records of the pages' sources, and of `site.yml`."""
        rows = self._all("SELECT path, data FROM source")
        return {path: opened(data, "source", path) for path, data in rows}

    def text(self, path: str, mark: bytes) -> bytes | None:
        """The text of a page's source, None when it is not there under this mark."""
        found = self._all("SELECT data FROM text WHERE path = ? AND mark = ?", (path, mark))
        return opened(found[0][0], "text", path, mark) if found else None

    def pages(self) -> dict[str, tuple[bytes, bytes]]:
        """The key of each page, and what every build needs of it."""
        rows = self._all("SELECT path, key, data FROM known")
        return {path: (key, opened(data, "known", path, key)) for path, key, data in rows}

    def facts(self, path: str, key: bytes) -> bytes | None:
        """The facts of one page, None when it is not of this key any more."""
        found = self._all("SELECT facts FROM page WHERE path = ? AND key = ?", (path, key))
        return opened(found[0][0], "facts", path, key) if found else None

    def parts(self, path: str, key: bytes) -> tuple[bytes, bytes, bytes] | None:
        """The body, the twin and the search of one page, None when they are not of this key any more."""
        query = "SELECT body, twin, search FROM page WHERE path = ? AND key = ?"
        found = self._all(query, (path, key))
        if not found:
            return None
        body, twin, search = found[0]
        return (
            opened(body, "body", path, key),
            opened(twin, "twin", path, key),
            opened(search, "search", path, key),
        )

    def told(self, path: str, key: bytes) -> tuple[bytes, bytes] | None:
        """The twin and the search of one page, None when they are not of this key any more."""
        found = self._all("SELECT twin, search FROM page WHERE path = ? AND key = ?", (path, key))
        if not found:
            return None
        twin, search = found[0]
        return opened(twin, "twin", path, key), opened(search, "search", path, key)

    def body(self, path: str) -> bytes | None:
        """The body of a page, whatever its key."""
        found = self._all("SELECT key, body FROM page WHERE path = ?", (path,))
        return opened(found[0][1], "body", path, found[0][0]) if found else None

    def value(self, name: Literal["twin", "search"], path: str, key: bytes) -> bytes | None:
        """One of these of one page, None when it is not of this key any more."""
        query = f"SELECT {name} FROM page WHERE path = ? AND key = ?"  # noqa: S608 - one of two
        found = self._all(query, (path, key))
        return opened(found[0][0], name, path, key) if found else None

    def column(self, name: Literal["twin", "search"]) -> Iterator[tuple[str, bytes, bytes]]:
        """Of each page its path, its key, and one of the others."""
        query = f"SELECT path, key, {name} FROM page"  # noqa: S608 - one of two
        with _explained(), closing(self._connection.execute(query)) as rows:
            for path, key, data in rows:
                yield path, key, opened(data, name, path, key)

    def output(self, folder: str) -> bytes | None:
        """Return the record of an output folder, or of the index."""
        found = self._all("SELECT data FROM output WHERE folder = ?", (folder,))
        return opened(found[0][0], "output", folder) if found else None

    def folders(self) -> list[str]:
        """The output folders of which something is kept."""
        found = [folder for (folder,) in self._all("SELECT folder FROM output")]
        if not all(isinstance(folder, str) for folder in found):
            raise Damaged
        return [folder for folder in found if folder.startswith("/")]

    def leaf(self, name: str) -> bytes | None:
        """Return the file of a name of the index, or None; its name has a digest of it."""
        found = self._all("SELECT data FROM leaf WHERE name = ?", (name,))
        return opened(found[0][0], "leaf", name) if found else None

    def save(self, changes: Changes) -> None:
        """Keep all of the changes, or none."""
        gone = [(path,) for path in changes.gone]
        lost = [(name,) for folder in changes.lost for name in (folder, f"{BUILT} {folder}")]
        rows = [(path, key, *_sealed(row, path, key)) for path, (key, row, _) in changes.pages.items()]
        known = [
            (path, key, sealed(data, "known", path, key)) for path, (key, _, data) in changes.pages.items()
        ]
        sources = [(path, sealed(data, "source", path)) for path, data in changes.sources.items()]
        texts = [
            (path, mark, sealed(data, "text", path, mark)) for path, (mark, data, _) in changes.texts.items()
        ]
        # Another build may be about to read the text that was there before.
        marks = [(path, mark, before) for path, (mark, _, before) in changes.texts.items()]
        outputs = [(folder, sealed(data, "output", folder)) for folder, data in changes.outputs.items()]
        with _explained(), _transaction(self._connection):
            self._connection.executemany("DELETE FROM source WHERE path = ?", gone)
            self._connection.executemany("DELETE FROM text WHERE path = ?", gone)
            self._connection.executemany("DELETE FROM page WHERE path = ?", gone)
            self._connection.executemany("DELETE FROM known WHERE path = ?", gone)
            self._connection.executemany("DELETE FROM output WHERE folder = ?", lost)
            self._connection.executemany("REPLACE INTO source VALUES (?, ?)", sources)
            self._connection.executemany("DELETE FROM text WHERE path = ? AND mark <> ? AND mark <> ?", marks)
            self._connection.executemany("REPLACE INTO text VALUES (?, ?, ?)", texts)
            self._connection.executemany("REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.executemany("REPLACE INTO known VALUES (?, ?, ?)", known)
            self._connection.executemany("REPLACE INTO output VALUES (?, ?)", outputs)
            if changes.all_leaves:
                self._connection.execute("DELETE FROM leaf").close()
            gone_leaves = [(name,) for name in changes.gone_leaves]
            self._connection.executemany("DELETE FROM leaf WHERE name = ?", gone_leaves)
            leaves = [(name, sealed(data, "leaf", name)) for name, data in sorted(changes.leaves.items())]
            self._connection.executemany("REPLACE INTO leaf VALUES (?, ?)", leaves)

    def _all(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with _explained(), closing(self._connection.execute(query, values)) as cursor:
            return cursor.fetchall()

    def _prepare(self, root: Path) -> None:
        """Make the tables in a new file; any other must have these very ones, and nothing else that acts."""
        # A cache need not outlive a power cut: what is damaged is made anew.
        self._connection.execute("PRAGMA synchronous = OFF").close()
        # Of a new file; a row has some 25 KB, and is written a third faster so than in small pages.
        self._connection.execute(f"PRAGMA page_size = {PAGE_SIZE}").close()
        found = self._all("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        if not found:
            with _transaction(self._connection):
                for table in _TABLES:
                    self._connection.execute(table.replace("TABLE", "TABLE IF NOT EXISTS", 1)).close()
                self._connection.execute(f"PRAGMA user_version = {FORMAT}").close()
                mark = owner.mark(root)
                if mark is not None:
                    row = OWNER, sealed(mark, "output", OWNER)
                    self._connection.execute("REPLACE INTO output VALUES (?, ?)", row).close()
        elif self._all("PRAGMA user_version") != [(FORMAT,)]:
            raise Outdated
        elif sorted(sql for (sql,) in found) != sorted(_TABLES):
            raise Damaged


def _sealed(row: CachedPage, path: str, key: bytes) -> Iterator[bytes]:
    """The values of a page in the order of their columns."""
    for name in ("facts", "body", "twin", "search"):
        yield sealed(getattr(row, name), name, path, key)


def _make_room(root: Path, file: str) -> None:
    """Make the folder, through no link. It is none of the site's sources, so git is told to ignore it."""
    here = os.open(root, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
    try:
        for name in FOLDER:
            if walk.look(here, name) is None:
                os.mkdir(name, dir_fd=here)
            inner = walk.open_folder(here, name)
            os.close(here)
            here = inner
        if walk.look(here, ".gitignore") is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(".gitignore", flags, 0o666, dir_fd=here), "w") as ignored:  # noqa: PTH123
                ignored.write("*\n")
        found = walk.look(here, file)
        if found is not None and not stat.S_ISREG(found.st_mode):
            raise walk.Blocked(file, walk.kind_of(found.st_mode))
    except FileExistsError:
        return  # another build has just made it
    finally:
        os.close(here)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE").close()
    try:
        yield
        connection.execute("COMMIT").close()
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK").close()
        raise


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what SQLite and the file system say into one of two."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # our own mistake
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _DAMAGED:
            raise Damaged from error
        raise Unusable(str(error)) from error
    except walk.Blocked as blocked:
        raise Unusable(f"`{blocked.name}` is {blocked.kind}") from None
    except OSError as error:
        raise Unusable(error.strerror or str(error)) from error
