"""Times of keys' last uses, written aside: a write waits for the disk, a check of a key must not."""

from __future__ import annotations

import logging
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Literal, get_args

from server.control.errors import DatabaseError
from server.control.sqlite.database import ControlDatabase

INTERVAL = 60
"""Seconds within which a key's use is written once."""

Table = Literal["keys", "management_keys", "browser_sessions"]

_WRITE: dict[Table, str] = {
    table: f"""
        UPDATE {table} SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)
    """  # noqa: S608 - constants alone
    for table in get_args(Table)
}
_LOG = logging.getLogger(__name__)


class LastUse:
    """A thread that starts with the first use and writes what it is told, until it is closed.

    `table` is where the keys are.
    """

    def __init__(self, database: ControlDatabase, table: Table) -> None:
        self._database = database
        self._sql = _WRITE[table]
        self._told: SimpleQueue[tuple[str, int] | None] = SimpleQueue()
        self._waiting: set[str] = set()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def note(self, key: str, last: int | None, now: int) -> None:
        """The key with this id is used `now`; `last` is what the database says about its last use."""
        if key in self._waiting or (last is not None and now < last + INTERVAL):
            return
        with self._lock:
            if self._closed:
                return
            self._waiting.add(key)
            self._told.put((key, now))
            if self._thread is None:
                self._thread = Thread(target=self._write_all, name="twinpress-last-use", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Write what is left and end."""
        with self._lock:
            self._closed = True
        if self._thread is not None:
            self._told.put(None)
            self._thread.join()

    def _write_all(self) -> None:
        while told := self._told.get():
            self._write(*told)

    def _write(self, key: str, now: int) -> None:
        try:
            self._database.write(self._sql, (now, key, now - INTERVAL))
        except DatabaseError as error:
            _LOG.warning("the last use of key %s is not written: %s", key, error)
        finally:
            self._waiting.discard(key)
