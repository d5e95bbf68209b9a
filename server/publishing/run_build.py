"""Run a build in a process of its own, from the side of the service."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

import msgspec

from builder.errors import TwinpressError
from server.process.confined_process import kill, started
from server.publishing.build_order import BuildEvent, BuildOrder

_WORKER = "server.publishing.build_worker"
_LONGEST_LINE = 16 * 1024 * 1024

Tell = Callable[[BuildEvent], None]


class BuildFailed(TwinpressError):
    """The process did not come to the end of the build."""


class BuildInterrupted(BuildFailed):
    """The same, for what may be over soon: a full disk, a process that was killed."""


def _nobody() -> str:
    """The wish of nobody."""
    return ""


class Stop:
    """The wish to end a build, which may come before the build has begun.

    `wished` says why it is wanted by now, "" while it is not: it is looked at when it is the last time.
    """

    def __init__(self, wished: Callable[[], str] = _nobody) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._wished = wished
        self.asked = ""

    def check(self) -> None:
        """Raise BuildFailed where somebody wants that there is no release."""
        if why := self.asked or self._wished():
            raise BuildFailed(why)

    def ask(self, why: str) -> None:
        """Have the build end now; `why` is what its owner is told."""
        with self._lock:
            self.asked = self.asked or why
            if self._process is not None:
                kill(self._process)

    def attach(self, process: subprocess.Popen[bytes]) -> None:
        """Take note of the process that is to be ended."""
        with self._lock:
            self._process = process
            if self.asked:
                kill(process)

    def detach(self) -> None:
        """Take note that there is none any more: its number may be another one's soon."""
        with self._lock:
            self._process = None


def run_build(order: BuildOrder, tell: Tell, stop: Stop, seconds: float) -> BuildEvent:
    """Have a site built within so many seconds, and return the last event. Raises BuildFailed.

    `tell` is told of progress.
    """
    with _started(order, stop, seconds) as process:
        last = BuildEvent()
        for last in _events(process):
            if last.ended or last.refused:
                break
            tell(last)
    if last.refused:
        raise BuildInterrupted(last.refused) if last.may_pass else BuildFailed(last.refused)
    if not last.ended:
        if stop.asked:
            raise BuildFailed(stop.asked)
        raise BuildInterrupted("the process that builds the site has ended; there may be too little memory")
    return last


@contextmanager
def _started(order: BuildOrder, stop: Stop, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """The process; it and all that it has started are gone when the block has ended."""
    with started(_WORKER) as process:
        stop.attach(process)
        too_long = f"the build took longer than {seconds:g} seconds and was given up"
        timer = threading.Timer(seconds, stop.ask, (too_long,))
        timer.start()
        try:
            _send(process, order)
            yield process
        finally:
            timer.cancel()
            stop.detach()
            kill(process)


def _send(process: subprocess.Popen[bytes], order: BuildOrder) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    with suppress(BrokenPipeError):  # it has ended already, which its silence tells
        process.stdin.write(msgspec.json.encode(order) + b"\n")
    with suppress(BrokenPipeError):  # closing writes what is left once more, and fails once more
        process.stdin.close()


def _events(process: subprocess.Popen[bytes]) -> Iterator[BuildEvent]:
    """Yield the events that the process writes, until it is silent for good or writes no event."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    for line in _lines(process.stdout):
        try:
            yield msgspec.json.decode(line, type=BuildEvent)
        except msgspec.DecodeError:
            return


def _lines(output: IO[bytes]) -> Iterator[bytes]:
    while line := output.readline(_LONGEST_LINE):
        yield line
