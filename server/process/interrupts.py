"""SIGINT and SIGTERM while a service starts.

By themselves they would break it off between any two steps, and SIGTERM without tidying up. Here a signal
is kept until the start comes to a place where it waits: nothing is half done there, and what was begun is
undone.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal has broken the start off."""


class _Start:
    """A start that goes on: whether a signal has come, and whether the place it is at may be left."""

    def __init__(self) -> None:
        self.came = False
        self.waits = False

    def hear(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler. A second signal ends the program as it always does."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if self.waits:
            raise Interrupted
        self.came = True

    def heed(self) -> bool:
        """Return whether a signal has come; it is told once, so that nothing breaks off what tidies up."""
        came, self.came = self.came, False
        return came


# A variable of the context, which other threads do not share: signals are heard in the main one alone.
_START: ContextVar[_Start | None] = ContextVar("_START", default=None)


@contextmanager
def kept() -> Iterator[None]:
    """In this block, signals break off at `breakable` places alone; the block ends quietly then.

    Whoever listens to signals by other means within it asks `heed` for one of the time before.
    """
    former = {number: signal.getsignal(number) for number in NUMBERS}
    start = _Start()
    entered = _START.set(start)
    try:
        for number in NUMBERS:
            signal.signal(number, start.hear)
        yield
    except Interrupted:
        return
    finally:
        _START.reset(entered)
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def breakable() -> Iterator[None]:
    """A place at which a start may be broken off: Interrupted is raised here, also for an earlier signal.

    Does nothing in a program, or a thread, whose signals nobody keeps.
    """
    start = _START.get()
    if start is None:
        yield
        return
    before, start.waits = start.waits, True
    try:
        if start.heed():
            raise Interrupted
        yield
    finally:
        start.waits = before


def heed() -> bool:
    """Return whether a signal was kept that has broken nothing off; from now on it is known."""
    start = _START.get()
    return start is not None and start.heed()
