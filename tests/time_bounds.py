"""Bounds of time in tests, for any machine, and the comparison of two amounts of work.

A bound is in seconds of a usual machine at rest. Others take several times as long for the same work, and a
crowded one does so for minutes: where a bound is missed, what a plain loop takes there says by how much it
is wider. So nothing changes on a usual machine, and what never ends is found on any.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_USUAL = 0.06
"""Seconds of a million turns of a plain loop on a usual machine at rest."""
_ROUNDS = 5
"""Loops that are measured when a bound is missed: the slowest one counts."""


@contextmanager
def processor_seconds(bound: float) -> Iterator[None]:
    """Fail when the block takes more of the processor than so many seconds of a usual machine."""
    begun = time.process_time()
    yield
    spent = time.process_time() - begun
    assert enough(bound, spent), f"it took {spent:.2f} s of the processor"


def enough(bound: float, spent: float) -> bool:
    """Return whether so many seconds of a usual machine are enough for what has taken `spent` of it."""
    return spent < bound or spent < bound * slowness(time.process_time)


@contextmanager
def in_time(bound: float) -> Iterator[None]:
    """Fail when the block takes longer than so many seconds of a usual machine."""
    begun = time.monotonic()
    yield
    took = time.monotonic() - begun
    assert took < bound or took < bound * slowness(time.monotonic), f"it took {took:.1f} s"


def slowness(clock: Callable[[], float]) -> float:
    """Return how many times longer a plain loop takes here than on a usual machine at rest, at least 1."""
    return max(1.0, *(_seconds(_loop, clock) / _USUAL for _ in range(_ROUNDS)))


def quickest(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of processor time of the quickest run: a busy machine takes its part of each."""
    return min(_seconds(work, time.process_time) for _ in range(times))


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    begun = clock()
    work()
    return clock() - begun


def _loop() -> int:
    return sum(number % 7 for number in range(1_000_000))
