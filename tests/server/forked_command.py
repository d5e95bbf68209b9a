"""Our command in a process that is forked from one in which all of it is loaded.

To load the service takes most of a second of processor time, and tests start it hundreds of times. Such a
process is the command in all else: with arguments, folder, environment and streams of its own, signals as
Python begins with, and the same end. See `tests/server/fork_commands.py`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO


class ForkedCommand:
    """A command that runs, as `subprocess.Popen` gives it."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: str | Path | None = None,
        stdin: int | None = None,
        stdout: int,
        stderr: int,
        worker: bool = False,
    ) -> None:
        argv = [str(each) for each in arguments]
        order = {"argv": argv, "cwd": str(cwd or Path.cwd()), "env": dict(env), "worker": worker}
        told, tell = os.pipe()
        with Path(os.devnull).open("rb") as nothing:
            streams = [nothing.fileno() if stdin is None else stdin, stdout, stderr, tell]
            socket.send_fds(_forks(), [json.dumps(order).encode()], streams)
        os.close(tell)
        self._told: IO[str] = os.fdopen(told, encoding="utf-8")
        self.pid = int(self._told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended. Raises TimeoutExpired after so many seconds."""
        if self.returncode is None and not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


def _forks() -> socket.socket:
    """The socket that takes orders."""
    return _started()[0]


@cache
def _started() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The same with its process, which ends with ours."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.server.fork_commands", str(theirs.fileno())]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], pass_fds=[theirs.fileno()])
    theirs.close()
    return ours, process
