"""A clock that a test sets."""

from __future__ import annotations

from dataclasses import dataclass

START = 1_800_000_000.0


@dataclass(slots=True)
class Clock:
    """Gives `now`, in seconds since 1970."""

    now: float = START

    def __call__(self) -> float:
        return self.now
