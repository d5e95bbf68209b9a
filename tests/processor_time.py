"""Processor time in tests that compare two amounts of work: never with a clock, and never once."""

from __future__ import annotations

import time
from collections.abc import Callable


def quickest(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of processor time of the quickest run: a busy machine takes its part of each."""
    return min(_seconds(work) for _ in range(times))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def yardstick() -> float:
    """Seconds of a million turns of a plain loop here, for bounds that hold on slow machines too."""
    return quickest(_million_turns)


def _million_turns() -> int:
    total = 0
    for number in range(1_000_000):
        total += number % 7
    return total
