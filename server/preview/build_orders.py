"""The orders of the thread that builds; any thread may add one.

A layer below `builder_thread`: it knows no site, and builds nothing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition

from builder.preview import Unfinished
from server.preview.snapshot import Made

LOOK = 0.02
"""Seconds after which it is asked again whether changes can still wait."""


class Question:
    """Somebody waits for the file at an output path."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.answer: Future[Made] = Future()

    def settle(self, find: Callable[[str], Made]) -> bool:
        """Answer with what `find` gives or raises, if somebody still waits for it.

        False where that is not there yet: then it has to be asked for again.
        """
        if not self.answer.running() and not self.answer.set_running_or_notify_cancel():
            return True
        try:
            self.answer.set_result(find(self.output))
        except Unfinished:
            return False
        except Exception as error:  # noqa: BLE001 - handed to the one who waits for it
            self.answer.set_exception(error)
        return True


class Inbox:
    """Changes of sources, which are taken all at once, and questions, which are taken one by one.

    `can_wait` is asked whether changes that have been there since a moment may be taken later.
    """

    def __init__(self, can_wait: Callable[[float], bool]) -> None:
        self.stopped = False
        self._can_wait = can_wait
        self._changed: set[str] = set()
        self._since = 0.0
        self._questions: deque[Question] = deque()
        self._fault: Exception | None = None
        self._is_woken = False
        self._news = Condition()

    def change(self, sources: frozenset[str]) -> None:
        """These sources have changed."""
        with self._news:
            if not self._changed:
                self._since = time.monotonic()
            self._changed |= sources
            self._news.notify()

    def ask(self, output: str) -> Future[Made]:
        """Ask for the file at this output path, once all changes that are known by now have been taken."""
        question = Question(output)
        with self._news:
            if self.stopped:
                question.settle(lambda _: None)
            else:
                self._questions.append(question)
                self._news.notify()
        return question.answer

    def wake(self) -> None:
        """Something that was waited for is there."""
        with self._news:
            self._is_woken = True
            self._news.notify()

    def fail(self, error: Exception) -> None:
        """Nobody can tell any more what changes."""
        with self._news:
            self._fault = error
            self._news.notify()

    def stop(self) -> None:
        """Everything ends; who waits for something gets nothing."""
        with self._news:
            self.stopped = True
            for question in self._questions:
                question.settle(lambda _: None)
            self._questions.clear()
            self._news.notify()

    def changes(self) -> frozenset[str]:
        """Take the paths that are to be looked at now. Raises what was given to `fail`."""
        with self._news:
            if self._fault is not None:
                raise self._fault
            if not self._changed or self._can_wait(self._since):
                return frozenset()
            taken = frozenset(self._changed)
            self._changed.clear()
            return taken

    def woken(self) -> bool:
        """Return whether somebody has called `wake` since this was asked last."""
        with self._news:
            woken, self._is_woken = self._is_woken, False
            return woken

    def question(self) -> Question | None:
        """The one that waits longest."""
        with self._news:
            return self._questions.popleft() if self._questions else None

    def wait(self, seconds: float | None = None) -> None:
        """Wait until there is something to do, or for so many seconds."""
        with self._news:
            if not (self.stopped or self._changed or self._questions or self._fault or self._is_woken):
                self._news.wait(seconds)
            elif self._changed and not (self._questions or self._is_woken):
                self._news.wait(LOOK)
