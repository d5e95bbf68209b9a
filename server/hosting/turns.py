"""One at a time for each database: two threads never tell the server about the same one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class Turns:
    """A lock for each id that is in use."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}

    @contextmanager
    def of(self, id: str) -> Iterator[None]:
        """Wait until nobody else is at this id."""
        lock = self._join(id)
        try:
            with lock:
                yield
        finally:
            self._leave(id)

    def _join(self, id: str) -> Lock:
        with self._guard:
            lock, users = self._locks.get(id, (Lock(), 0))
            self._locks[id] = lock, users + 1
            return lock

    def _leave(self, id: str) -> None:
        with self._guard:
            lock, users = self._locks.pop(id)
            if users > 1:
                self._locks[id] = lock, users - 1
