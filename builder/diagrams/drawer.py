"""The process that draws, as whoever renders a page sees it: asked, watched, and ended.

It is forked where that is safe, and else started as a program. A process that may start no program, as it is
confined, forks in any case: should the child hang, as another thread held something when it began, it is
ended as one with a diagram that takes too long is, and the question is asked again.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NoReturn

from msgspec import Struct

from builder.diagrams import draw_process

PATIENCE = 10.0
"""Seconds by the clock in which an answer comes, also where other programs have the processors."""
QUICK = 1.0
"""Seconds in which a process has ended for another reason than its work; the diagram is tried again then."""
TRIES = 2
MOST_OPEN = 1 << 20
"""Descriptors that a process may have open; some systems name a thousand times as many."""


class Ended(Exception):
    """The process has ended over a question: it took too long, or too much memory."""


class DrawingProcess(Struct, eq=False):
    """A process, its two pipes, and how it is ended."""

    owner: int
    questions: IO[bytes]
    answers: IO[bytes]
    end: Callable[[], None]

    def ask(self, question: bytes) -> bytes:
        """Return the answer; empty when the process has ended. Raises OSError when it had before."""
        watch = threading.Timer(PATIENCE, self.end)
        watch.daemon = True
        self.questions.write(question)
        self.questions.flush()
        watch.start()
        try:
            return self.answers.readline()
        finally:
            watch.cancel()

    def close(self) -> None:
        """End the process and let its pipes go."""
        self.end()
        for pipe in (self.questions, self.answers):
            with suppress(OSError):
                pipe.close()


class Drawer:
    """Asks one process, which is started when it is first needed; for one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: DrawingProcess | None = None
        self._inherited: list[DrawingProcess] = []

    def draw(self, source: str) -> dict[str, Any]:
        """Return the answer, as `draw_process` gives it. Raises Ended."""
        question = json.dumps({"source": source}).encode() + b"\n"
        with self._lock:
            for _ in range(TRIES):
                began = time.monotonic()
                with suppress(OSError):
                    line = self._started().ask(question)
                    if line.endswith(b"\n"):
                        answer: dict[str, Any] = json.loads(line)
                        return answer
                self._end()
                if QUICK < time.monotonic() - began < PATIENCE:
                    break
        raise Ended

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _started(self) -> DrawingProcess:
        """The process. One that a parent of this process has started is the parent's."""
        if self._child is not None and self._child.owner != os.getpid():
            self._inherited.append(self._child)  # let go of, its pipes would be closed and it be waited for
            self._child = None
        if self._child is None:
            self._child = _begin()
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.owner == os.getpid():
            child.close()


def _begin() -> DrawingProcess:
    """Begin a process. Raises OSError."""
    if sys.platform == "linux" and threading.active_count() == 1:
        return _forked()
    try:
        return _started_program()
    except PermissionError:
        if sys.platform != "linux":
            raise
        return _forked()


def _started_program() -> DrawingProcess:
    found = find_spec("merman")
    folder = str(Path(found.origin).parents[1]) if found and found.origin else ""
    process = subprocess.Popen(  # noqa: S603 - Python, and a file of ours
        [sys.executable, "-I", draw_process.__file__, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"} if os.name == "posix" else None,
    )
    assert process.stdin  # noqa: S101 - as asked for
    assert process.stdout  # noqa: S101 - as asked for

    def end() -> None:
        process.kill()
        process.wait()

    return DrawingProcess(os.getpid(), process.stdin, process.stdout, end)


def _forked() -> DrawingProcess:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    number = os.fork()
    if not number:
        _be(theirs_in, theirs_out)
    os.close(theirs_in)
    os.close(theirs_out)
    is_over = threading.Event()

    def end() -> None:
        if not is_over.is_set():
            is_over.set()
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(number, 0)

    return DrawingProcess(os.getpid(), os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb"), end)


def _be(questions: int, answers: int) -> NoReturn:
    """Be the child: nothing but its two pipes is left to it, and nothing of what its parent had begun."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        _let_streams_go()
        _close_others(questions, answers)
        draw_process.serve(questions, answers)
    finally:
        os._exit(0)


def _let_streams_go() -> None:
    """Let go of what the parent reads and writes: who reads that to its end would wait for this process."""
    with suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)


def _close_others(*kept: int) -> None:
    """Close all descriptors but these: a lock on a file would be held for as long as one is open."""
    low = 3
    for each in sorted(kept):
        os.closerange(low, each)
        low = each + 1
    os.closerange(low, max(low, min(os.sysconf("SC_OPEN_MAX"), MOST_OPEN)))


DRAWER = Drawer()
"""The one of this process."""
atexit.register(DRAWER.close)
