"""Has pages reviewed in a process that can be ended when one takes too long, and the site goes on.

Questions that come while it is at work are asked together: the site is then looked at once for all.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct, field

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.review import Inbound
from builder.site import Plan
from builder.store import Source
from builder.workers.process import Process
from server.authoring.review_process import LinksQuestion, Question, ReviewQuestion, serve

SECONDS = 10.0
"""For one review; a page takes at most two, and a site of ten thousand pages is read first."""
BATCH = 64
"""Questions that are asked together, at most."""


class ReviewTooLong(Exception):
    """The review was given up."""


class _Asked(Struct, frozen=True):
    question: Question
    answer: Future[Any] = field(default_factory=Future)


class Reviewer:
    """Asks the process, which is started when it is needed first. Safe to use from several threads.

    The answers are futures: who does not want one any more may cancel it. One of many sites is `shared`: its
    process is forked at the first question, from one that has all modules loaded, and not started before.
    """

    def __init__(
        self,
        root: Path,
        plan: Plan | None = None,
        seconds: float = SECONDS,
        *,
        shared: bool = False,
        include_roots: tuple[str, ...] = (),
    ) -> None:
        self._process = Process("twinpress-review", serve, root, plan, include_roots, is_forked=shared)
        self._shared = shared
        self._seconds = seconds
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="twinpress-reviews", daemon=True)
        self._thread.start()

    def page(self, source: Source, twin_file: str) -> Future[tuple[Diagnostic, ...]]:
        """Check a page. Gives ReviewTooLong or TwinpressError as the future's exception."""
        return self.ask(ReviewQuestion(source, twin_file))

    def inbound(self, path: str) -> Future[tuple[Inbound, ...]]:
        """The links to a page. Gives ReviewTooLong or TwinpressError as the future's exception."""
        return self.ask(LinksQuestion(path))

    def ask(self, question: Question) -> Future[Any]:
        """Ask any question. Gives ReviewTooLong or TwinpressError as the future's exception."""
        asked = _Asked(question)
        self._asked.put(asked)
        return asked.answer

    def failure_diagnostics(self, file: str, error: Exception) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a page whose review has failed with ReviewTooLong or TwinpressError."""
        if isinstance(error, ReviewTooLong):
            message = f"checking the page took longer than {self._seconds:g} s and was given up"
            return (Diagnostic(file, 0, 0, "budget-exceeded", message, "simplify it"),)
        return (Diagnostic(file, 0, 0, "internal-error", str(error)),)

    def close(self) -> None:
        """End the process; what was asked before is still answered."""
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            with suppress(OSError):  # whoever asks is told
                if not self._shared:
                    self._process.pipe()  # so that the first who asks need not wait for the start
            while (asked := self._asked.get()) is not None:
                self._answer(self._batch(asked))
        finally:
            self._process.end()

    def _batch(self, first: _Asked) -> deque[_Asked]:
        """This question and those that wait behind it, without those that nobody waits for any more."""
        batch = [first]
        while len(batch) < BATCH:
            try:
                asked = self._asked.get_nowait()
            except Empty:
                break
            if asked is None:
                self._asked.put(None)  # the end comes after this batch
                break
            batch.append(asked)
        return deque(each for each in batch if each.answer.set_running_or_notify_cancel())

    def _answer(self, left: deque[_Asked]) -> None:
        """Ask until all are answered; whatever ends the process is the answer to its question alone."""
        while left:
            try:
                pipe = self._process.pipe()
                pipe.send([asked.question for asked in left])
                while left and pipe.poll(self._seconds):
                    answer = pipe.recv()
                    _give(left.popleft(), answer)
            except (EOFError, OSError):
                self._process.end()
                if left:
                    _give(left.popleft(), TwinpressError("the process that checks pages ended by itself"))
                continue
            if left:
                self._process.end()
                _give(left.popleft(), ReviewTooLong())


def _give(asked: _Asked, answer: object) -> None:
    if isinstance(answer, Exception):
        asked.answer.set_exception(answer)
    else:
        asked.answer.set_result(answer)
