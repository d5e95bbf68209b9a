"""One at a time for each database: two threads never tell the server about the same one.

A thread that has its turn may take it again, within the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock

_ENDLESS = -1.0


class RowLocks:
    """A lock for each id that is in use."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[RLock, int]] = {}

    @contextmanager
    def of(self, id: str) -> Iterator[None]:
        """Wait until nobody else is at this id."""
        with self.within(id, _ENDLESS):
            yield

    @contextmanager
    def within(self, id: str, seconds: float) -> Iterator[bool]:
        """Wait so many seconds for that, and give whether it is so: not longer than a client waits."""
        lock = self._join(id)
        try:
            mine = lock.acquire(timeout=seconds)
            try:
                yield mine
            finally:
                if mine:
                    lock.release()
        finally:
            self._leave(id)

    def _join(self, id: str) -> RLock:
        with self._guard:
            lock, users = self._locks.get(id, (RLock(), 0))
            self._locks[id] = lock, users + 1
            return lock

    def _leave(self, id: str) -> None:
        with self._guard:
            lock, users = self._locks.pop(id)
            if users > 1:
                self._locks[id] = lock, users - 1
