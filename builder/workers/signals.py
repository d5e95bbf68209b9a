"""Ctrl+C and processes that begin: a terminal sends it to all of them, and the first one alone answers it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Processes that begin in this block are never told of Ctrl+C.

    To ignore it as the first thing that they do would be too late: Python has code of its own to run before,
    and says on standard error what interrupted that.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
