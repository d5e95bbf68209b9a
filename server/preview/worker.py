"""The thread that builds: once at the start, then after every change of the sources."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from builder import build
from builder.site import Plan
from builder.watch import Watcher
from server.preview.snapshot import SCRIPT, Progress, Snapshot, first, following

Built = Callable[[Snapshot, frozenset[str]], None]
"""Told of every state and of the sources whose change led to it."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to build, and whom to tell; the callbacks are called in the building thread.

    `can_wait` is asked whether a build that is due since a moment (`time.monotonic`) may be made later.
    """

    root: Path
    plan: Plan | None
    progress: Progress
    built: Built
    can_wait: Callable[[float], bool]


class _Pause:
    """A flag for a watcher: set when the pause is over."""

    def __init__(self, goes_on: Callable[[], bool]) -> None:
        self._goes_on = goes_on

    def is_set(self) -> bool:
        """Whether it is over."""
        return not self._goes_on()


class Worker:
    """A daemon thread, so that a long build never holds up the end of the program."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._stop = Event()
        self._pushed: set[str] = set()
        self._thread = Thread(target=self._run, name="twinpress-build", daemon=True)
        self._failed: asyncio.Future[None] | None = None

    def start(self) -> asyncio.Future[None]:
        """Start building; the future gets the error of a first build that cannot be done."""
        self._failed = asyncio.get_running_loop().create_future()
        self._thread.start()
        return self._failed

    def push(self, source: str) -> None:
        """Build again though nothing was seen to change; `source` is what did. From any thread."""
        self._pushed.add(source)

    def is_set(self) -> bool:
        """Whether there is another reason than a change to stop waiting for one."""
        return self._stop.is_set() or bool(self._pushed)

    def stop(self, seconds: float) -> bool:
        """Ask the thread to end; whether it did so within `seconds`."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # noqa: BLE001 - handed to the one who waits for it
            self._tell(error)

    def _follow(self) -> None:
        job = self._job
        options = build.Options(plan=job.plan, drafts=True, reload=SCRIPT, trusted=True)
        with Watcher(job.root) as watcher:
            snapshot = first(job.root, options, job.progress)
            job.built(snapshot, frozenset())
            while changed := watcher.wait(self) or self._taken():
                changed |= self._more(watcher)
                snapshot = following(job.root, options, snapshot, changed)
                job.built(snapshot, changed)

    def _more(self, watcher: Watcher) -> frozenset[str]:
        """What else changes for as long as the build can wait."""
        due, changed = time.monotonic(), frozenset[str]()
        pause = _Pause(lambda: not self._stop.is_set() and self._job.can_wait(due))
        while not pause.is_set():
            changed |= watcher.wait(pause)
        return changed

    def _taken(self) -> frozenset[str]:
        """What was pushed, unless everything ends."""
        taken = frozenset(self._pushed.copy())
        self._pushed -= taken
        return frozenset() if self._stop.is_set() else taken

    def _tell(self, error: Exception) -> None:
        future = self._failed
        if future is not None and not self._stop.is_set():
            future.get_loop().call_soon_threadsafe(_fail, future, error)


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
