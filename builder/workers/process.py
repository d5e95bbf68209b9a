"""A process of our own that can be ended at any moment, and is started again when it is needed next.

It gets pickled values from its parent over a pipe, and gives them back; nobody else can reach that. One that
is ended often is forked, where the system can, from a process that has loaded all modules and does nothing
else: that takes some hundredths of a second, and not one or more; and what is loaded is in memory once.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnContext, SpawnProcess
from pathlib import Path

from builder.workers.signals import interrupts_blocked

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
if CAN_FORK:
    from multiprocessing.forkserver import ensure_running

_WANTING = ("R", "D")
"""It runs, or would if there was a processor for it; it waits for the disk."""


class Process:
    """Runs `target` with its end of the pipe and these arguments; for one thread at a time.

    It `is_forked` where it is ended often.
    """

    def __init__(
        self, name: str, target: Callable[..., None], *arguments: object, is_forked: bool = False
    ) -> None:
        self._is_forked = is_forked and CAN_FORK
        self._name = name
        self._target = target
        self._arguments = arguments
        self._process: SpawnProcess | ForkServerProcess | None = None
        self._pipe: Connection | None = None

    def pipe(self) -> Connection:
        """The pipe to the process, which is started unless it is there. Raises OSError."""
        if self._process is None or self._pipe is None or not self._process.is_alive():
            self.end()
            context = self._context()
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=self._target, args=(theirs, *self._arguments), name=self._name, daemon=True
            )
            begin_tracker()
            with theirs, interrupts_blocked():
                self._process.start()
        return self._pipe

    @property
    def is_running(self) -> bool:
        """True if the process is there, and the pipe leads to it."""
        return self._process is not None and self._process.is_alive()

    def prepare(self) -> None:
        """Have begun what takes long of a start, without waiting for it. Raises OSError."""
        if not self._is_forked:
            self.pipe()
            return
        self._context()
        begin_tracker()
        with interrupts_blocked():
            ensure_running()

    def _context(self) -> SpawnContext | ForkServerContext:
        if not self._is_forked:
            return multiprocessing.get_context("spawn")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([self._target.__module__])
        return context

    def wants(self, seconds: float, spent: float) -> bool:
        """Return whether it works, but has had no processor for so long since it had `spent` that much.

        False where the system does not tell that.
        """
        found = self._stat()
        return found is not None and found[0] in _WANTING and found[1] - spent < seconds

    def spent(self) -> float:
        """The seconds of a processor that it has had; 0 where the system does not tell that."""
        found = self._stat()
        return found[1] if found else 0.0

    def _stat(self) -> tuple[str, float] | None:
        """Return the process's state, in a letter, and the time it has spent (proc_pid_stat(5))."""
        if sys.platform != "linux" or self._process is None:
            return None
        try:
            text = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return None  # it has ended
        fields = text.rpartition(")")[2].split()
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Send the process its end, from any thread; who waits at the pipe is told."""
        process = self._process
        if process is not None:
            with suppress(ValueError):  # it has been closed meanwhile
                process.kill()

    def end(self) -> None:
        """End the process, whatever it is at. May be called again."""
        if self._process is not None and self._process.pid is not None:
            if self._process.is_alive():  # the number of one that has ended may be another's by now
                self._process.kill()
            self._process.join()
            self._process.close()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def begin_tracker() -> None:
    """Begin Python's own process that looks after shared memory: beginning it lets signals through again."""
    if os.name == "posix":
        resource_tracker.ensure_running()
