"""Choose how many processes are used, and the way in which they begin."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

WORTH = 40
"""Pages for each process, at least: for fewer it is not worth its start."""

COLLECT = 100_000
"""New objects after which Python looks for circles among them; pages leave few, and looking takes long."""

SELDOM = 20, 1_000
"""How many such looks at what is new there are before one at what is older, and before one at everything."""

MOST = 4
"""Processes for each processor: more only take each other's memory."""


def processes(pages: int, wanted: int | None) -> int:
    """Return the number to use for so many pages: `wanted`, or as many processors as are worth it."""
    if wanted is not None:
        return min(wanted, MOST * processors())
    return max(1, min(processors(), pages // WORTH))


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_fork() -> bool:
    """Return whether a fork is safe: what other threads hold would stay held for ever in it."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def only_growing() -> Iterator[None]:
    """Have Python look for no circles, while much is made that stays."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
