"""The process that reviews pages: it can be ended when a page takes too long, and the site goes on.

It gets pickled values from its parent over a pipe, and gives them back; nobody else can reach that.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Lock
from typing import Any

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.review import Inbound, Review
from builder.site import Plan
from builder.store import ContentStore, Source

SECONDS = 10.0
"""For one review; a page takes at most two, and a site of ten thousand pages is read first."""


@dataclass(frozen=True, slots=True)
class Page:
    """A review that is asked for: of a page as it would be read, with the name of its twin's file."""

    source: Source
    twin_file: str


@dataclass(frozen=True, slots=True)
class Links:
    """The links to a path are asked for."""

    path: str


class TooLong(Exception):
    """The review was given up."""


class Reviewer:
    """Asks the process, which is started when it is needed first. Safe to use from several threads."""

    def __init__(self, root: Path, plan: Plan | None = None, seconds: float = SECONDS) -> None:
        self._root = root
        self._plan = plan
        self._seconds = seconds
        self._lock = Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def page(self, source: Source, twin_file: str) -> tuple[Diagnostic, ...]:
        """What a check would say of a page. What goes wrong with the review is said as a diagnostic."""
        try:
            found: tuple[Diagnostic, ...] = self._ask(Page(source, twin_file))
        except TooLong:
            message = f"checking the page took longer than {self._seconds:g} s and was given up"
            return (Diagnostic(source.file, 0, 0, "budget-exceeded", message, "make it simpler"),)
        except TwinpressError as error:
            return (Diagnostic(source.file, 0, 0, "internal-error", str(error)),)
        return found

    def inbound(self, path: str) -> tuple[Inbound, ...]:
        """The links to a page. Raises TooLong, TwinpressError."""
        found: tuple[Inbound, ...] = self._ask(Links(path))
        return found

    def start(self) -> None:
        """Start the process, so that the first who asks need not wait for that. Does not wait itself."""
        with self._lock:
            self._running()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _ask(self, question: Page | Links) -> Any:
        with self._lock:
            pipe = self._running()
            try:
                pipe.send(question)
                answer = pipe.recv() if pipe.poll(self._seconds) else TooLong()
            except (EOFError, OSError) as error:
                self._end()
                raise TwinpressError("the process that checks pages ended by itself") from error
            if isinstance(answer, TooLong):
                self._end()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _running(self) -> Connection:
        if self._process is None or self._pipe is None or not self._process.is_alive():
            self._end()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=serve, args=(theirs, self._root, self._plan), name="twinpress-review", daemon=True
            )
            self._process.start()
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def serve(pipe: Connection, root: Path, plan: Plan | None) -> None:
    """Answer until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    with ContentStore(root) as store:
        review = Review(root, store, plan)
        while True:
            try:
                question = pipe.recv()
            except EOFError:
                return
            pipe.send(_answered(review, question))


def _answered(review: Review, question: Page | Links) -> object:
    ask: Callable[[], object] = (
        (lambda: review.page(question.source, question.twin_file))
        if isinstance(question, Page)
        else (lambda: review.inbound(question.path))
    )
    try:
        return ask()
    except TwinpressError as error:
        return TwinpressError(str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours is told to the one who asked
        return TwinpressError(f"{type(error).__name__}: {error}")
