"""Threads of the service: pools of them, and those that do regular work.

They are waited for at the end, but not for ever: one that waits for a server that stands still never does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread

from msgspec import Struct

from builder.errors import TwinpressError
from server.hosting.log_once import LogOnce
from server.process.faults import describe

GOODBYE = 5.0
"""Seconds that the threads of a pool, or the chores under way, get."""


def all_ended(threads: Iterable[Thread], seconds: float) -> bool:
    """Return whether all of them end within so many seconds; those that were not begun have."""
    end = time.monotonic() + seconds
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(end - time.monotonic(), 0))
        if thread.is_alive():
            return False
    return True


def threads_of(pool: ThreadPoolExecutor) -> list[Thread]:
    """The threads that a pool has begun."""
    return list(pool._threads)


@contextmanager
def pool(size: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """Threads for the time of the block; at its end they have some seconds to come to theirs."""
    made = ThreadPoolExecutor(size, name)
    try:
        yield made
    finally:
        made.shutdown(wait=False, cancel_futures=True)
        all_ended(threads_of(made), GOODBYE)


class Chore(Struct, frozen=True):
    """Something to be done every so many seconds."""

    name: str
    seconds: float
    run: Callable[[], object]


class Chores:
    """Does all of them, each when its time has come, while `may` says that it may.

    Each of the `groups` has a thread: a chore that takes long delays those of its own group alone.
    """

    def __init__(self, groups: Sequence[Sequence[Chore]], may: Callable[[], bool]) -> None:
        self._may = may
        self._ended = Event()
        self._complaints = LogOnce()
        self._threads = [
            Thread(target=self._work, args=[group], name="twinpress-chores", daemon=True) for group in groups
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End, after the chores that are under way, unless these take too long."""
        self._ended.set()
        all_ended(self._threads, GOODBYE)

    def _work(self, group: Sequence[Chore]) -> None:
        due = dict.fromkeys(group, 0.0)
        while not self._ended.wait(0.1):
            for chore in group:
                if time.monotonic() >= due[chore] and self._may() and not self._ended.is_set():
                    self._do(chore)
                    due[chore] = time.monotonic() + chore.seconds

    def _do(self, chore: Chore) -> None:
        try:
            chore.run()
            self._complaints.withdraw(chore.name, f"{chore.name} is done again")
        except TwinpressError as error:
            self._failed(chore, str(error))
        except Exception as error:  # noqa: BLE001 - the last resort: it is told, and others go on
            self._failed(chore, f"Twinpress failed: {describe(error)}")

    def _failed(self, chore: Chore, said: str) -> None:
        self._complaints.make(chore.name, f"{chore.name} could not be done, and is tried again: {said}")
