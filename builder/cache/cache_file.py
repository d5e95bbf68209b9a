"""The file of a cache, as one build uses it.

It is made anew when it is damaged; a build goes without one that cannot be used.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from builder.cache.changes import Changes
from builder.cache.checksum import Damaged
from builder.cache.database import OWNER, Database, Outdated, Unusable
from builder.cache.owner import is_own
from builder.diagnostics import Diagnostic

AT_ONCE = 200
"""Rows that are put into the file together, so that few wait in memory."""

Use = Literal["no", "own", "read", "keep"]
"""Whether a build takes what is kept ("own": only what this person has kept), and keeps what it makes."""

T = TypeVar("T")


class CacheFile:
    """The file called `name` in the site's folder of caches; `diagnostics` say what is wrong with it."""

    def __init__(self, root: Path, name: str, use: Use) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._root = root
        self._file = name
        self._changes = Changes()
        self._database: Database | None = None
        self._keeps = use == "keep"
        if self._keeps or (use in {"own", "read"} and Database.is_there(root, name)):
            self._open()
        if use == "own" and not is_own(self._ask(lambda database: database.output(OWNER), None), root):
            self.close()

    @property
    def is_open(self) -> bool:
        """True if anything is kept."""
        return self._database is not None

    @property
    def keeps(self) -> bool:
        """True if what is given to it is kept."""
        return self._keeps and self.is_open

    def close(self) -> None:
        """Let the file go."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _forget(self) -> None:
        """Forget what was read of a file that is damaged."""

    def _save(self) -> None:
        changes, self._changes = self._changes, Changes()
        self._ask(lambda database: database.save(changes), None)

    def _ask(self, question: Callable[[Database], T], otherwise: T) -> T:
        """Ask the file, which is made anew when it is damaged, and left alone when it cannot be used."""
        if self._database is None:
            return otherwise
        try:
            return question(self._database)
        except (Damaged, msgspec.MsgspecError, UnicodeDecodeError):
            self._renew(self._damaged())
        except Unusable:
            self.close()  # another build writes to it, or the disk has no room: this one goes without
        return otherwise

    def _open(self) -> None:
        try:
            self._database = Database(self._root, self._file)
        except (Damaged, UnicodeDecodeError):
            self._renew(self._damaged())
        except Outdated:
            self._renew()
        except Unusable:
            return

    def _renew(self, *why: Diagnostic) -> None:
        """Delete the file and begin with a new one; `why` is what there is to be told."""
        self._forget()
        if not self._keeps:
            self.close()
            return
        self.diagnostics = list(why)
        try:
            if self._database is not None:
                self._database.close()
            Database.remove(self._root, self._file)
            self._database = Database(self._root, self._file)
        except (Damaged, Outdated, Unusable):
            self._database = None

    def _damaged(self) -> Diagnostic:
        file = f".twinpress/cache/{self._file}"
        return Diagnostic(file, 0, 0, "cache-damaged", "the cache was damaged; it has been rebuilt")
