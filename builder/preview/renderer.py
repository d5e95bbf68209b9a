"""Makes pages in processes that can be ended, so that no page keeps others from being made.

Most pages are made by one process, for which the preview waits. A page that takes longer than most is made
again by another one, aside, while the first, begun anew, goes on with others; it is given up when its time is
up. Who asks for a page while it is aside, or has been, gets it by asking again.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from msgspec import Struct

from builder.cache import Row, unpack
from builder.digests import digest
from builder.errors import ThemeError
from builder.markdown.context import Context
from builder.preview.maker import Lost, TooLong, Unfinished
from builder.preview.render_process import (
    READY,
    Answer,
    Crashed,
    Failed,
    Frame,
    MakePage,
    Question,
    Redirect,
    serve,
)
from builder.process import Process
from builder.render import Made
from builder.site import SitePage
from builder.theme import Folders, PageView, SiteView, ThemeView

SECONDS = 10.0
"""For one page, as for a review of it."""
PATIENCE = 0.5
"""Seconds that others wait for a page; those of 100 KB take a quarter of that. On a machine that is so busy
that the process has no processor meanwhile, they wait for longer."""
STARTING = 60.0
"""Seconds that a process may take to start, on a machine that has very much to do."""
TRIES = 2
"""A process may be ended from outside, by no fault of the page; one that ends it again is the reason."""


class _Lane:
    """One process, and what it was told last; for one thread, but for `kill`."""

    def __init__(self, seconds: float, is_closed: Callable[[], bool]) -> None:
        self._process = Process("twinpress-render", serve, seconds)
        self.waited = 0.0
        self._longest = seconds
        self._is_closed = is_closed
        self._pipe: Connection | None = None
        self._is_ready = False
        self._told: Context | None = None

    def start(self) -> Connection:
        """Have the process started, if it is not there; what is sent to it waits. Raises OSError."""
        pipe = self._process.pipe()
        if pipe is not self._pipe:
            self._pipe, self._is_ready, self._told = pipe, False, None
        return pipe

    def ask(self, question: Question, context: Context | None, seconds: float) -> Answer | None:
        """The answer; None when it takes longer than `seconds`, and the process was ended. Raises Lost."""
        tries = TRIES
        while tries and not self._is_closed():
            tries -= 1
            try:
                return self._ask(question, context, seconds)
            except (EOFError, OSError):
                self.end()
        raise Lost("the process that renders pages ended by itself; there may be too little memory")

    def _ask(self, question: Question, context: Context | None, seconds: float) -> Answer | None:
        pipe = self.start()
        if not self._is_ready:
            began = time.monotonic()
            self._is_ready = pipe.poll(STARTING) and pipe.recv() == READY
            self.waited += time.monotonic() - began
        if context is not None and self._told is not context:
            pipe.send(context)
            self._told = context
        spent = self._process.spent()
        pipe.send(question)
        if self._is_closed() or not self._is_ready or not self._has_come(pipe, seconds, spent):
            self.end()
            return None
        answer: Answer = pipe.recv()
        return answer

    def _has_come(self, pipe: Connection, seconds: float, spent: float) -> bool:
        """Whether the answer comes within so many seconds; more when the process had no processor in them."""
        until = time.monotonic() + self._longest
        while not pipe.poll(min(seconds, max(0.0, until - time.monotonic()))):
            if time.monotonic() >= until or not self._process.wants(seconds / 2, spent):
                return False
        return True

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._process.end()
        self._pipe = None

    def kill(self) -> None:
        """The same from another thread: who waits for the process is told of its end."""
        self._process.kill()


class _Aside(Struct, eq=False):
    """A question that takes long; `answer` is there when it `is_done`, and is None for one that was given up.

    It `is_quick` when it has taken no longer than others.
    """

    question: Question
    context: Context | None
    key: object
    is_wanted: bool = True
    is_done: bool = False
    is_quick: bool = False
    answer: Answer | Lost | None = None


class Renderer:
    """Makes pages for one thread; `wake` is called, in another, whenever a page that was aside is done."""

    def __init__(
        self, wake: Callable[[], None], seconds: float = SECONDS, patience: float = PATIENCE
    ) -> None:
        self._wake = wake
        self._seconds = seconds
        self._patience = patience
        self._is_closed = False
        self._quick = _Lane(seconds, lambda: self._is_closed)
        self._slow = _Lane(seconds, lambda: self._is_closed)
        self._aside: dict[str, _Aside] = {}
        self._long: dict[str, None] = {}
        self._queue: SimpleQueue[_Aside | None] = SimpleQueue()
        self._thread: Thread | None = None

    @property
    def templates(self) -> Renderer:
        """What puts views into templates of the site's own."""
        return self

    @property
    def waited(self) -> float:
        """Seconds that were spent on waiting for the process to start."""
        return self._quick.waited

    def start(self) -> None:
        """Begin, so that the first page need not wait for it."""
        with suppress(OSError):  # whoever asks for a page is told
            self._quick.start()

    def make(self, page: SitePage, context: Context, key: bytes) -> Made:
        """The page. Raises Unfinished, and TooLong or Lost; asked again after these, it is made anew."""
        answer = self._ask(page.path, MakePage(page), context, (key, page))
        assert isinstance(answer, Row | Made)  # noqa: S101 - as that is what was asked for
        return unpack(answer, text=True) if isinstance(answer, Row) else answer

    def page(self, folders: Folders, site: SiteView, theme: ThemeView, view: PageView) -> str:
        """The whole HTML document of a page. Raises ThemeError, and what `make` does."""
        return self._html(f"{view.kind} {view.twin}", Frame(folders.templates(), site, theme, view))

    def redirect(
        self, folders: Folders, site: SiteView, theme: ThemeView, target: str, canonical: str
    ) -> str:
        """The document that leads from an old address to `target`. Raises as `page` does."""
        document = Redirect(folders.templates(), site, theme, target, canonical)
        return self._html(f"redirect {site.nav} {target}", document)

    def close(self) -> None:
        """End all that is going on; nothing may be asked for any more."""
        self._is_closed = True
        self._quick.end()
        self._queue.put(None)
        if self._thread is not None:
            self._slow.kill()
            self._thread.join()

    def _html(self, name: str, question: Question) -> str:
        answer = self._ask(name, question, None, digest(pickle.dumps(question)))
        assert isinstance(answer, str)  # noqa: S101 - as that is what was asked for
        return answer

    def _ask(self, name: str, question: Question, context: Context | None, key: object) -> Answer:
        """The answer to the last question that has this name; the `key` tells it from earlier ones."""
        known = self._aside.get(name)
        if known is not None and known.key == key:
            if not known.is_done:
                raise Unfinished
            del self._aside[name]
            return self._taken(name, known)
        if known is not None:
            known.is_wanted = False
        if name not in self._long:
            answer = self._quick.ask(question, context, self._patience)
            if answer is not None:
                return _sound(answer)
            self.start()  # for the next one
        self._put_aside(name, _Aside(question, context, key))
        raise Unfinished

    def _put_aside(self, name: str, aside: _Aside) -> None:
        self._long[name] = None
        self._aside[name] = aside
        if self._thread is None:
            self._thread = Thread(target=self._run, name="twinpress-aside", daemon=True)
            self._thread.start()
        self._queue.put(aside)

    def _taken(self, name: str, aside: _Aside) -> Answer:
        if aside.is_quick:  # it only had to wait for a busy machine, or is simpler by now
            self._long.pop(name, None)
        if isinstance(aside.answer, Lost):
            raise aside.answer
        if aside.answer is None:
            raise TooLong(self._seconds)
        return _sound(aside.answer)

    def _run(self) -> None:
        try:
            while (aside := self._queue.get()) is not None:
                if aside.is_wanted and not self._is_closed:
                    self._finish(aside)
        finally:
            self._slow.end()

    def _finish(self, aside: _Aside) -> None:
        started = time.monotonic()
        try:
            aside.answer = self._slow.ask(aside.question, aside.context, self._seconds)
        except Lost as lost:
            aside.answer = lost
        aside.is_quick = time.monotonic() - started < self._patience
        aside.is_done = True
        self._wake()


def _sound(answer: Answer) -> Answer:
    """The answer, if it is none of a failure."""
    if isinstance(answer, Failed):
        raise ThemeError(answer.message, path=answer.path, hint=answer.hint)
    if isinstance(answer, Crashed):
        raise Lost(answer.message)
    return answer
