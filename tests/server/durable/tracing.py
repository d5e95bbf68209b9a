"""Faults that the system makes: a call of a running process fails, or ends it, at its n-th turn."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

CALLS = {
    "openat": "openat",
    "write": "write",
    "fsync": "/^f(data)?sync$",
    "rename": "/^rename(at2?)?$",
    "mkdir": "/^mkdir(at)?$",
    "unlink": "/^unlink(at)?$",
}
"""A test's names of calls, and strace's patterns for all variants of each."""

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None and not os.environ.get("CI"),
    reason="there is no strace here: apt-get install strace",
)


@dataclass(frozen=True, slots=True)
class Trace:
    """The log of strace."""

    log: Path

    @property
    def lines(self) -> list[str]:
        """A line for each call."""
        return self.log.read_text(errors="replace").splitlines()

    @property
    def struck(self) -> bool:
        """Return whether any call was made to fail."""
        return any("(INJECTED)" in line for line in self.lines)


@contextmanager
def traced(process: int, log: Path, calls: str, fault: str = "") -> Iterator[Trace]:
    """Trace a process, each thread from its first call on; `fault` is what befalls the calls."""
    options = ["-e", f"trace={calls}", *(["-e", f"inject={calls}:{fault}"] if fault else [])]
    command = ["strace", "-f", "-y", "-o", str(log), *options, "-p", str(process)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as strace:
        assert strace.stderr is not None
        said = strace.stderr.readline()
        assert re.search("attached", said), said
        try:
            yield Trace(log)
        finally:
            strace.send_signal(signal.SIGINT)
            try:
                strace.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                strace.kill()  # now and then it does not let go by itself; the system then lets go for it
                strace.communicate()
