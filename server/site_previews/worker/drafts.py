"""The last pages that were rendered from texts that are not saved, each at an address of its own.

They are in memory alone, and few: the next letter that is typed makes the next one.
"""

from __future__ import annotations

import secrets

MOST = 8
_ID_BYTES = 9


class Drafts:
    """Documents by id; the oldest gives way."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def keep(self, html: bytes) -> str:
        """Keep a document; returns its id."""
        id = secrets.token_urlsafe(_ID_BYTES)
        self._known[id] = html
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        return id

    def get(self, id: str) -> bytes | None:
        """Return the document with this id; None where it had to give way, or never was."""
        return self._known.get(id)
