"""Folds in the background once the writers are quiet, so that it does not slow them.

Apart from `history`, which writers call: this is a thread of its own.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from builder.errors import TwinpressError
from builder.store.walk import Blocked
from server.process.faults import describe

QUIET = 1.0
"""Seconds without a change before changes are folded."""
LONGEST = 30.0
"""Seconds, and ENOUGH bytes, of pending changes that are not waited for."""
ENOUGH = 16 * 1024 * 1024
_SHARE = 3
"""While writers are busy, this many parts of rest come on each part of work."""
_AGAIN = 10.0
log = logging.getLogger("twinpress.history")


class FoldingThread:
    """A thread, begun at the first change; `fold` is called in it with a function to call between changes."""

    def __init__(self, fold: Callable[[Callable[[], None]], None]) -> None:
        self._fold = fold
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._first = self._last = 0.0
        self._size = 0
        self._stopped = False
        self._worked = 0.0
        self._told = ""

    def changed(self, size: int) -> None:
        """There was a change, and so many bytes are pending."""
        with self._condition:
            now = time.monotonic()
            is_first = not self._first
            self._first, self._last, self._size = self._first or now, now, size
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="history", daemon=True)
                self._thread.start()
            if is_first or size > ENOUGH:
                self._condition.notify()

    def left(self, size: int) -> None:
        """So many bytes are pending that an earlier process, or another one, has left."""
        if not self._first:
            self.changed(size)

    def stop(self) -> None:
        """End the thread once what it is folding is folded; what is pending stays so. May be called again."""
        with self._condition:
            self._stopped = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._wait():
            try:
                self._worked = time.monotonic()
                self._fold(self._pause)
                self._told = ""
            except Exception as error:  # noqa: BLE001 - whatever it is: nothing is lost, and it is tried again
                self._tell(error)
                with self._condition:
                    self._first = self._first or time.monotonic()
                    self._condition.wait_for(lambda: self._stopped, _AGAIN)

    def _tell(self, error: Exception) -> None:
        """Once, not at every try."""
        is_known = isinstance(error, (OSError, Blocked, TwinpressError))
        said = str(error) if is_known else describe(error)
        if said != self._told:
            log.warning("The history could not be updated: %s", said)
        self._told = said

    def _wait(self) -> bool:
        """Until there is something to do; False when there never will be."""
        with self._condition:
            while not self._stopped:
                if self._first and self._is_due():
                    self._first, self._size = 0.0, 0
                    return True
                self._condition.wait(QUIET if self._first else None)
        return False

    def _is_due(self) -> bool:
        now = time.monotonic()
        return now - self._last >= QUIET or now - self._first >= LONGEST or self._size > ENOUGH

    def _pause(self) -> None:
        """Leave the processor to the writers while there are any."""
        now = time.monotonic()
        if self._stopped or now - self._last > QUIET:
            self._worked = now
            return
        time.sleep(min(_SHARE * (now - self._worked), 0.1))
        self._worked = time.monotonic()
