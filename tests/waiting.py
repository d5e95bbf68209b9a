"""Waiting in tests: for a condition, never for a time, and with patience for a machine that does much else.

What a test waits for comes within milliseconds on an idle machine. `PATIENCE` is so much longer that only
what never comes reaches it. How quick a thing is, benchmarks say, not tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 60.0
"""Seconds."""
_PAUSE = 0.01


def until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Return when it is true, and fail when it is not within so many seconds."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "never"
        time.sleep(_PAUSE)


@contextmanager
def in_time(seconds: float = PATIENCE) -> Iterator[None]:
    """Fail when the block takes longer: for what would wait for something that does not come."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds, f"it took {took:.1f} s"
