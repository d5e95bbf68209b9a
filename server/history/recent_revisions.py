"""The last revisions of a history in memory, so that who pages through them does not read them each time.

A revision takes half a millisecond to read, and never changes; only new ones are read. Where the owner has
deleted some, or the history was mended, all are read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from server.history.history import History
from server.history.revision import Revision

REACH = 10_000
"""Revisions that are held at most."""
_NEW = (1, 50, 1_000)
"""How many of the last ones are read until one is among them that is known."""


class RecentRevisions:
    """The last revisions of a history, without a gap. Safe to use from several threads."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = Lock()
        self._known: list[Revision] = []
        self._is_whole = False
        self._line: object = None

    @property
    def history(self) -> History:
        """The history."""
        return self._history

    def last(self, most: int) -> tuple[Sequence[Revision], bool]:
        """Return at least `most` of the last revisions, the last first, and whether these are all there are.

        No more than REACH. Raises StorageError.
        """
        with self._lock:
            self._take_new()
            if len(self._known) < min(most, REACH) and not self._is_whole:
                self._read(min(max(most, 2 * len(self._known)), REACH))
            return self._known, self._is_whole

    def _take_new(self) -> None:
        line = self._history.line()
        if line != self._line:
            self._known, self._is_whole, self._line = [], False, line
        known = self._known[0].id if self._known else None
        for size in _NEW if known else ():
            found = self._history.revisions(within=size)
            new = next((at for at, each in enumerate(found) if each.id == known), None)
            if new is not None:
                self._is_whole = self._is_whole and len(self._known) + new <= REACH
                self._known = [*found[:new], *self._known][:REACH]
                return
        self._read(_NEW[-1])

    def _read(self, most: int) -> None:
        self._known = self._history.revisions(within=most)
        self._is_whole = len(self._known) < most
