"""Wait for threads to end, but not for ever: one that waits for a server that stands still never does."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread

GOODBYE = 5.0
"""Seconds that the threads of a pool get."""


def all_ended(threads: Iterable[Thread], seconds: float) -> bool:
    """Whether all of them end within so many seconds; those that were not begun have."""
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
