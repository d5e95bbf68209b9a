"""Log a lasting failure once, then now and then: not twice a second while the server is away."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from server.log_repeats import Repeats

AGAIN = 60.0
"""Seconds after which what goes on failing is told again. Its words do not count: they hold times, and take
turns where several things fail."""
_LOG = logging.getLogger("twinpress.hosting")


class LogOnce:
    """About several subjects, from several threads; a subject belongs to one thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._repeats = Repeats(AGAIN, clock)

    def make(self, subject: str, said: str) -> None:
        """It has failed."""
        if self._repeats.hear(subject) is not None:
            _LOG.warning("%s", said)

    def withdraw(self, subject: str, said: str = "") -> None:
        """It has not failed; `said` is told if it did before."""
        if self._repeats.forget(subject) is not None and said:
            _LOG.info("%s", said)
