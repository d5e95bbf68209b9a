"""Waiting in tests: for a condition, never for a time, and with patience for a machine that does much else.

What a test waits for comes within milliseconds on an idle machine. `PATIENCE` is so much longer that only
what never comes reaches it. How quick a thing is, benchmarks say, not tests.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 180.0
"""Seconds."""
_PAUSE, _LONGEST = 0.01, 0.15
"""Seconds between two looks: the first, and those after a while."""
_LOOKING = 0.2
"""The part of the time of a wait that is spent looking: what is waited for needs the processor, too."""
_SHOWN = 2000
"""Characters of what was there last."""

T = TypeVar("T")


def until(
    true: Callable[[], T],
    patience: float = PATIENCE,
    *,
    pause: float = 0,
    last: Callable[[], object] | None = None,
) -> T:
    """Return what `true` gives as soon as that is true, and fail when it is not within so many seconds.

    Between two looks it pauses the longer, the longer a look or the wait takes, or always `pause` seconds.
    The failure says which condition it was, and what was there at the end: what `last` gives, or what the
    condition gave and was made of.
    """
    begun = looked = time.monotonic()
    while not (found := true()):
        now = time.monotonic()
        assert now < begun + patience, in_vain(true, patience, last() if last else _parts(true, found))
        time.sleep(pause or _pause(now - looked, now - begun))
        looked = time.monotonic()
    return found


def _pause(look: float, wait: float) -> float:
    """The seconds until the next look, after one that took so many seconds of a wait of so many."""
    return min(max(_PAUSE, look / _LOOKING - look, wait / 20), _LONGEST)


def in_vain(true: Callable[[], object], seconds: float, last: object) -> str:
    """Return the words of a failure that has waited for a condition."""
    return f"not within {seconds:.0f} s: {_text(true)}\nat the end: {repr(last)[:_SHOWN]}"


def _text(true: Callable[[], object]) -> str:
    """The condition, as it stands in the test."""
    name = getattr(true, "__name__", "<lambda>")
    return inspect.getsource(true).strip() if name == "<lambda>" else name


def _parts(true: Callable[[], object], found: object) -> dict[str, object]:
    """The last result of a condition, beside the variables of its test that it reads."""
    own = getattr(true, "__self__", None)
    around = inspect.getclosurevars(true).nonlocals if inspect.isfunction(true) else {"self": own}
    return {"result": found, **around}
