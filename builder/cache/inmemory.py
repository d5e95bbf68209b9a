"""A cache for those who build the same site again and again, and end: it keeps values, and no file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from builder.cache.cache import Cache
from builder.cache.entries import Facts, Text, facts_of, text_of
from builder.output.ledger import Ledger
from builder.render import Made
from builder.search import Part


class MemoryCache(Cache):
    """What the builds of one process keep of the site in `root`."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, "no")
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

    def text(self, path: str, key: bytes) -> Text | None:
        """What the frame of a page needs of it."""
        made = self._of(path, key)
        return text_of(made) if made else None

    def twin(self, path: str, key: bytes) -> str | None:
        """A page's twin."""
        made = self._of(path, key)
        return made.twin if made else None

    def search(self, path: str, key: bytes) -> tuple[Part | None] | None:
        """What a page adds to the search, if anything."""
        made = self._of(path, key)
        return (made.search,) if made else None

    def keep(self, path: str, key: bytes | None, made: Made) -> None:
        """Keep a page for the next build."""
        if key and made.asked is not None:
            self._made[path] = key, made

    def keep_all(self, pages: Iterable[str], folder: Path | None, written: Ledger) -> None:
        """Forget all other pages."""
        for path in self._made.keys() - set(pages):
            del self._made[path]

    def _of(self, path: str, key: bytes | None) -> Made | None:
        kept = self._made.get(path)
        return kept[1] if kept and kept[0] == key else None
