"""Wait for a condition, not for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.server.commands import PATIENCE


def until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Return when it is true, and fail when it is not within so many seconds."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "never"
        time.sleep(0.01)
