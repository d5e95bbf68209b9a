"""What the leading service process does regularly, in a thread of its own."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Event, Thread

from msgspec import Struct

from builder.errors import TwinpressError
from server.faults import describe
from server.hosting.ending import all_ended

GOODBYE = 5.0
"""Seconds that the chore under way gets."""
_LOG = logging.getLogger("twinpress.hosting")


class Chore(Struct, frozen=True):
    """Something to be done every so many seconds."""

    name: str
    seconds: float
    run: Callable[[], object]


class Chores:
    """A thread that does all of them, each when its time has come, while `may` says that it may."""

    def __init__(self, chores: tuple[Chore, ...], may: Callable[[], bool]) -> None:
        self._due = dict.fromkeys(chores, 0.0)
        self._may = may
        self._ended = Event()
        self._failing: set[str] = set()
        self._thread = Thread(target=self._work, name="twinpress-chores", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End, after the chore that is under way, unless that takes too long."""
        self._ended.set()
        all_ended([self._thread], GOODBYE)

    def _work(self) -> None:
        while not self._ended.wait(0.1):
            for chore, due in self._due.items():
                if time.monotonic() >= due and self._may() and not self._ended.is_set():
                    self._do(chore)
                    self._due[chore] = time.monotonic() + chore.seconds

    def _do(self, chore: Chore) -> None:
        try:
            chore.run()
            self._failing.discard(chore.name)
        except TwinpressError as error:
            self._failed(chore, str(error))
        except Exception as error:  # noqa: BLE001 - the last resort: it is told, and others go on
            self._failed(chore, f"Twinpress failed: {describe(error)}")

    def _failed(self, chore: Chore, said: str) -> None:
        # Told once, not every few seconds while the server is away.
        if chore.name not in self._failing:
            _LOG.warning("%s could not be done, and is tried again: %s", chore.name, said)
        self._failing.add(chore.name)
