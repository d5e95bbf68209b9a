"""Has pages reviewed in a process that can be ended when one takes too long, and the site goes on.

Questions that come while it is at work are asked together: the site is then looked at once for all. Those of
one asker do not come before all others: see `question_queue`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.review import Inbound
from builder.site import Plan
from builder.store import Source
from builder.workers.process import Process
from server.authoring.question_queue import Asked, QuestionQueue
from server.authoring.review_process import Cut, LinksQuestion, Question, ReviewQuestion, serve

SECONDS = 15.0
"""Of a processor, for one question; a page takes at most two, and a change of a large site is looked over."""
LOADING = 120.0
"""The same for the first look at a site, which may have ten thousand pages: none of it is lost."""
PATIENCE = 20.0
"""Seconds by the clock that a question waits for the first look at the site."""
WALL = 6.0
"""Seconds by the clock for each of a processor, on a machine that is busy with other things."""
BATCH = 64
"""Questions that are asked together, at most."""
_LOOK = 0.1
"""Seconds between looks at the time and at who else waits."""


class ReviewTooLong(Exception):
    """The review was given up."""


class SiteLoading(ReviewTooLong):
    """The site is looked at for the first time, which goes on: ask again."""


class Reviewer:
    """Asks the process, which is started when it is needed first. Safe to use from several threads.

    The answers are futures: who does not want one any more may cancel it. One of many sites is `shared`: its
    process is forked at the first question, from one that has all modules loaded, and not started before.
    `seconds` are those of a processor for a question, `loading` those for the first look at the site.
    """

    def __init__(
        self,
        root: Path,
        plan: Plan | None = None,
        seconds: float = SECONDS,
        *,
        loading: float = LOADING,
        shared: bool = False,
        include_roots: tuple[str, ...] = (),
    ) -> None:
        self._process = Process("twinpress-review", serve, root, plan, include_roots, is_forked=shared)
        self._shared = shared
        self._seconds, self._loading = seconds, loading
        self._is_loaded = False
        self._waiting = QuestionQueue()
        self._thread = Thread(target=self._run, name="twinpress-reviews", daemon=True)
        self._thread.start()

    def page(self, source: Source, twin_file: str, asker: str = "") -> Future[tuple[Diagnostic, ...]]:
        """Check a page. Gives ReviewTooLong or TwinpressError as the future's exception; raises Failure."""
        return self.ask(ReviewQuestion(source, twin_file), asker)

    def inbound(self, path: str, asker: str = "") -> Future[tuple[Inbound, ...]]:
        """The links to a page. Gives ReviewTooLong or TwinpressError as the future's exception."""
        return self.ask(LinksQuestion(path), asker)

    def ask(self, question: Question, asker: str = "") -> Future[Any]:
        """Ask any question; askers, such as keys, have their turns. Gives ReviewTooLong or TwinpressError.

        Raises Failure (TOO_BUSY) where too many questions wait.
        """
        asked = Asked(question, asker)
        self._waiting.put(asked)
        return asked.answer

    def failure_diagnostics(self, file: str, error: Exception) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a page whose review has failed with ReviewTooLong or TwinpressError."""
        if isinstance(error, SiteLoading):
            message = "the page is not checked yet: the whole site is being read for the first time"
            return (Diagnostic(file, 0, 0, "budget-exceeded", message, "check it again in a moment"),)
        if isinstance(error, ReviewTooLong):
            message = f"checking the page took longer than {self._seconds:g} s and was given up"
            return (Diagnostic(file, 0, 0, "budget-exceeded", message, "simplify it"),)
        return (Diagnostic(file, 0, 0, "internal-error", str(error)),)

    def close(self) -> None:
        """End the process; what was asked before is still answered."""
        self._waiting.close()
        self._thread.join()

    def _run(self) -> None:
        try:
            with suppress(OSError):  # whoever asks is told
                if not self._shared:
                    self._process.pipe()  # so that the first who asks need not wait for the start
            while batch := self._waiting.take(BATCH):
                self._answer(deque(each for each in batch if _is_wanted(each)))
        finally:
            self._process.end()

    def _answer(self, left: deque[Asked]) -> None:
        """Ask until all are answered; whatever ends the process is the answer to its question alone."""
        while left:
            try:
                if self._asked(left):
                    self._waiting.put_back(left)
                    return
            except (EOFError, OSError):
                self._end()
                if left:
                    _give(left.popleft(), TwinpressError("the process that checks pages ended by itself"))
                continue
            if left:
                self._end()
                _give(left.popleft(), ReviewTooLong())

    def _asked(self, left: deque[Asked]) -> bool:
        """Ask the process all of these; True if it leaves the rest for later, as somebody else waits."""
        was_there = self._process.is_running
        pipe = self._process.pipe()
        self._is_loaded = self._is_loaded and was_there
        pipe.send([asked.question for asked in left])
        if not self._is_loaded and not self._has_loaded(left):
            return False
        is_cut = False
        limit = _Limit(self._process, self._seconds)
        while left:
            if not pipe.poll(_LOOK):
                if limit.is_reached:
                    return False
                if not is_cut and len(left) > 1 and self._has_others_than(left):
                    pipe.send(Cut())
                    is_cut = True
                continue
            answer = pipe.recv()
            if isinstance(answer, Cut):
                return True
            _give(left.popleft(), answer)
            limit = _Limit(self._process, self._seconds)
        return False

    def _has_others_than(self, left: Iterable[Asked]) -> bool:
        """Return whether somebody waits who has none of these questions: who has been answered is another."""
        return self._waiting.has_others(frozenset(asked.asker for asked in left))

    def _has_loaded(self, left: deque[Asked]) -> bool:
        """Wait until the process has read the site; who waits too long meanwhile is told to ask again."""
        pipe, limit, began = self._process.pipe(), _Limit(self._process, self._loading), time.monotonic()
        while not pipe.poll(_LOOK):
            if limit.is_reached:
                return False
            if time.monotonic() - began > PATIENCE:
                _give_up([*left, *filter(_is_wanted, self._waiting.take_all())])
        pipe.recv()
        self._is_loaded = True
        return True

    def _end(self) -> None:
        self._process.end()
        self._is_loaded = False


class _Limit:
    """A limit of seconds of a processor for what a process does from now on; by the clock it is far above.

    A process that waits for something else than a processor or the disk has the same by the clock.
    """

    def __init__(self, process: Process, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        self._began, self._spent = time.monotonic(), process.spent()

    @property
    def is_reached(self) -> bool:
        """True if the time is over."""
        by_clock = time.monotonic() - self._began
        if self._process.spent() - self._spent > self._seconds or by_clock > WALL * self._seconds:
            return True
        return by_clock > self._seconds and not self._process.wants(self._seconds, self._spent)


def _is_wanted(asked: Asked) -> bool:
    """Return whether somebody still waits for the answer, who cannot cancel it from now on."""
    if asked.answer.done() and not asked.answer.cancelled():
        return False  # it was told to ask again
    return asked.answer.running() or asked.answer.set_running_or_notify_cancel()


def _give(asked: Asked, answer: object) -> None:
    if asked.answer.done():
        return  # it was told to ask again
    if isinstance(answer, Exception):
        asked.answer.set_exception(answer)
    else:
        asked.answer.set_result(answer)


def _give_up(asked: Iterable[Asked]) -> None:
    for each in asked:
        _give(each, SiteLoading())
