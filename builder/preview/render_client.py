"""A process that makes pages and can be ended, seen from the thread that asks it."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from builder.markdown.context import Context
from builder.preview.maker import Lost
from builder.preview.render_process import READY, Answer, Question, serve
from builder.workers.process import Process

STARTING = 60.0
"""Seconds that a process may take to start, on a machine that has very much to do."""
TRIES = 2
"""A process may be ended from outside, by no fault of the page; one that ends it again is the reason."""


class Lane:
    """One process, and what it was told last; for one thread, but for `kill`."""

    def __init__(self, seconds: float, is_closed: Callable[[], bool]) -> None:
        self._process = Process("twinpress-render", serve, seconds, is_forked=True)
        self.waited = 0.0
        self._longest = seconds
        self._is_closed = is_closed
        self._pipe: Connection | None = None
        self._is_ready = False
        self._told: Context | None = None

    def prepare(self) -> None:
        """Have begun what takes long of a start. Raises OSError."""
        self._process.prepare()

    def ask(
        self, question: Question, context: Context | None, seconds: float, may_go_on: Callable[[], bool]
    ) -> Answer | None:
        """The answer; None when it takes longer than `seconds`, and the process was ended. Raises Lost.

        Whenever these have passed `may_go_on` is asked whether it gets them again, up to the longest time.
        """
        tries = TRIES
        while tries and not self._is_closed():
            tries -= 1
            try:
                return self._ask(question, context, seconds, may_go_on)
            except (EOFError, OSError):
                self.end()
        raise Lost("the process that renders pages ended by itself; there may be too little memory")

    def _ask(
        self, question: Question, context: Context | None, seconds: float, may_go_on: Callable[[], bool]
    ) -> Answer | None:
        pipe = self._started()
        if context is not None and self._told is not context:
            pipe.send(context)
            self._told = context
        spent = self._process.spent()
        pipe.send(question)
        if self._is_closed() or not self._is_ready or not self._has_come(pipe, seconds, spent, may_go_on):
            self.end()
            return None
        answer: Answer = pipe.recv()
        return answer

    def _started(self) -> Connection:
        """The pipe to the process, once that is ready."""
        began = time.monotonic()
        pipe = self._process.pipe()
        if pipe is not self._pipe:
            self._pipe, self._is_ready, self._told = pipe, False, None
        if not self._is_ready:
            self._is_ready = pipe.poll(STARTING) and pipe.recv() == READY
            self.waited += time.monotonic() - began
        return pipe

    def _has_come(
        self, pipe: Connection, seconds: float, spent: float, may_go_on: Callable[[], bool]
    ) -> bool:
        """Whether the answer comes within so many seconds; more when the process had no processor in them."""
        until = time.monotonic() + self._longest
        while not pipe.poll(min(seconds, max(0.0, until - time.monotonic()))):
            if time.monotonic() >= until:
                return False
            if not (may_go_on() or self._process.wants(seconds / 2, spent)):
                return False
        return True

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._process.end()
        self._pipe = None

    def kill(self) -> None:
        """The same from another thread: who waits for the process is told of its end."""
        self._process.kill()
