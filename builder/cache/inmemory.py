"""A cache for those who build the same site again and again: it keeps values, and writes no file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from builder.cache.cache import Cache
from builder.cache.database import Row
from builder.cache.entries import Facts, facts_of
from builder.output.ledger import Ledger
from builder.render import Made
from builder.search import Part


class MemoryCache(Cache):
    """What the builds of one process keep of the site in `root`; the first takes from its file, if any."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, "read")
        self._made: dict[str, tuple[bytes, Made]] = {}

    @property
    def is_open(self) -> bool:
        """Always."""
        return True

    def facts(self, path: str, key: bytes | None) -> Facts | None:
        """What is known of the page that has this key."""
        made = self._of(path, key)
        return facts_of(made) if made else None

    def confirm(self, path: str, key: bytes | None, site: bytes) -> None:
        """Remember that the page with this key is right for the `site` that has these answers."""
        made = self._of(path, key)
        if made and made.asked and key:
            asked = dataclasses.replace(made.asked, site=site)
            self._made[path] = key, dataclasses.replace(made, asked=asked)

    def made(self, path: str, key: bytes, facts: Facts) -> Made | None:
        """The page that these facts are of."""
        return self._of(path, key)

    def rest(self, path: str, key: bytes) -> tuple[str, Part | None] | None:
        """A page's twin, and what it adds to the search, if anything."""
        made = self._of(path, key)
        return (made.twin, made.search) if made else None

    def keep(self, path: str, key: bytes | None, made: Made, row: Row | None = None) -> None:
        """Keep a page for the next build."""
        if key and made.asked is not None:
            self._made[path] = key, made

    def keep_all(self, pages: Iterable[str], folder: Path | None, written: Ledger) -> None:
        """Forget all other pages, and let the file go: what was of use in it has been taken."""
        self._pages.clear()
        self.close()
        for path in self._made.keys() - set(pages):
            del self._made[path]

    def _of(self, path: str, key: bytes | None) -> Made | None:
        kept = self._made.get(path)
        if kept and kept[0] == key:
            return kept[1]
        made = self._in_file(path, key) if key else None
        if made and key:
            self._made[path] = key, made
        return made

    def _in_file(self, path: str, key: bytes) -> Made | None:
        facts = super().facts(path, key)
        return super().made(path, key, facts) if facts else None
