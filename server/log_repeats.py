"""Tell once of what happens over and over, then now and then with how often it was left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from msgspec import Struct

MOST = 1_000
"""Subjects that are known at a time; the one that was told longest ago is forgotten for another."""


class _Heard(Struct):
    """The time at which a subject was last told, and how often it was left out since."""

    told: float
    left_out: int = 0


class Repeats:
    """Of several subjects, each of which is told at most once in `again` seconds.

    From several threads, where a subject belongs to one of them.
    """

    def __init__(self, again: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._again = again
        self._clock = clock
        self._subjects: dict[Hashable, _Heard] = {}

    def hear(self, subject: Hashable) -> int | None:
        """Return how often it was left out since it was last told, where it is to be told now; else None."""
        now, heard = self._clock(), self._subjects.get(subject)
        if heard is not None and now < heard.told + self._again:
            heard.left_out += 1
            return None
        self._subjects.pop(subject, None)
        self._subjects[subject] = _Heard(now)
        if len(self._subjects) > MOST:
            self._subjects.pop(next(iter(self._subjects)), None)
        return heard.left_out if heard is not None else 0

    def forget(self, subject: Hashable) -> int | None:
        """Begin anew with a subject; gives how often it was left out, None for one that is not known."""
        heard = self._subjects.pop(subject, None)
        return heard.left_out if heard is not None else None
