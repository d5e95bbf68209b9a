"""A budget of work: seconds of a processor, so that a busy machine leaves nothing undone.

On a machine that gives hardly any of its time, a limit by the clock far above ends the work all the same.
"""

from __future__ import annotations

import time

from msgspec import Struct, field

WALL = 6.0
"""Seconds by the clock for each second of a processor."""


class WorkBudget(Struct, frozen=True):
    """A budget of so many `seconds` of a processor, from now on, for the thread that makes it."""

    seconds: float
    _spent: float = field(default_factory=time.thread_time)
    _began: float = field(default_factory=time.monotonic)

    @property
    def is_spent(self) -> bool:
        """True if there is no time left."""
        by_clock = time.monotonic() - self._began > WALL * self.seconds
        return by_clock or time.thread_time() - self._spent > self.seconds
