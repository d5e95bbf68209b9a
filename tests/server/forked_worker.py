"""Processes that work on the files of one site, forked from one in which all of the builder is loaded.

To load it and to build a first page takes a third of a second of processor time, and tests that publish start
such processes by the hundred. `tests/server/publishing/test_run_build.py`, the tests of the looker and those
of whole services hold how the service starts them.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

import pytest

from server.findings import looker
from server.process.confine import ENVIRONMENT
from server.publishing import run_build
from tests.server.forked_command import ForkedCommand


class ForkedWorker(ForkedCommand):
    """A module of ours that runs, with nothing but two pipes: what `confined_process.started` gives."""

    def __init__(self, module: str) -> None:
        reads, to = os.pipe()
        out, writes = os.pipe()
        super().__init__(
            [module], env=ENVIRONMENT, cwd="/", stdin=reads, stdout=writes, stderr=2, worker=True
        )
        os.close(reads)
        os.close(writes)
        self.stdin, self.stdout = os.fdopen(to, "wb"), os.fdopen(out, "rb")

    def __enter__(self) -> ForkedWorker:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Close the pipes, and wait for its end."""
        self.stdout.close()
        with suppress(BrokenPipeError):
            self.stdin.close()
        self.wait()

    def communicate(self, order: bytes, timeout: float) -> tuple[bytes, None]:
        """Give it all that it reads, and return all that it writes. Raises TimeoutExpired."""
        with suppress(BrokenPipeError):
            self.stdin.write(order)
            self.stdin.close()
        end, said = time.monotonic() + timeout, b""
        while select.select([self.stdout], [], [], max(0, end - time.monotonic()))[0]:
            if not (more := self.stdout.read1()):
                self.wait()
                return said, None
            said += more
        raise subprocess.TimeoutExpired(str(self.pid), timeout)


@contextmanager
def forking() -> Iterator[None]:
    """Fork what builds and looks at sites for the time of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_build, "started", ForkedWorker)
        patch.setattr(looker, "started", ForkedWorker)
        yield
