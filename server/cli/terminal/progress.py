"""A progress bar for builds that take a while, when somebody is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.7
"""Seconds before the bar appears, so that it does not flash up on small sites."""


class Bar:
    """A context manager whose `update` is told the units (pages) done and of all."""

    def __init__(self, label: str, unit: str = "pages") -> None:
        self._label = label
        self._unit = unit
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._lock = RLock()
        self._task: TaskID | None = None
        self._seen = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.stop()

    def stop(self) -> None:
        """Take the bar away before the end of the block; it does not come back."""
        with self._lock:
            self._seen = False
            self._hide()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar away for the time of the block, in which something else is printed."""
        with self._lock:
            self._hide()
            yield

    def update(self, done: int, total: int) -> None:
        """Move the bar, once it is worth showing. From any thread."""
        with self._lock:
            if self._seen and time.monotonic() - self._started >= PATIENCE:
                self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        if self._bar is None or self._task is None:
            # Loaded here, as most builds are done before anybody would see a bar.
            self._bar = import_module("server.cli.terminal.rich_bar").bar(self._unit)
            self._task = self._bar.add_task(self._label, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total)

    def _hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
