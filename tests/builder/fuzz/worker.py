"""Times pages in a process of its own, which the system ends when a page takes too much of the processor."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from builder.paths import Format
from builder.workers.processors import COLLECT
from tests.builder.fuzz.product import Product

LIMIT = 20.0
"""Seconds of the processor for one page."""


class Worker:
    """A process that is started when it is needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def seconds(self, text: str, form: Format) -> float:
        """Measure a page; `LIMIT` for one that was given up. Raises RuntimeError where building failed."""
        pipe = self._running()
        try:
            pipe.send((text, form))
            answer = pipe.recv()
        except (EOFError, OSError):
            self.close()
            return LIMIT
        if isinstance(answer, float):
            return answer
        raise RuntimeError(answer)

    def kill(self) -> None:
        """End the process, and tell nobody."""
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def close(self) -> None:
        """End the process; the next page starts another one."""
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None

    def _running(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs, self._folder), daemon=True)
            self._process.start()
            theirs.close()
        return self._pipe


def serve(pipe: Connection, folder: Path) -> None:
    """Answer with seconds, or with what has failed, until the other end is closed."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    gc.set_threshold(COLLECT)
    product = Product(folder)
    while True:
        try:
            text, form = pipe.recv()
        except EOFError:
            product.close()
            sys.exit()
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        answer = _answer(product, text, form)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(answer)


def _answer(product: Product, text: str, form: Format) -> float | str:
    try:
        return product.seconds(text, form)
    except RuntimeError as error:
        return str(error)
