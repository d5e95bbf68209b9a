"""A process that makes pages for the preview, and can be ended: its work, and `Lane`, which asks it.

It makes one page after another until its parent is gone. `Lane` is for the thread that asks.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

from msgspec import Struct

from builder.cache import pack
from builder.errors import ThemeError
from builder.markdown.context import Context
from builder.preview.page_maker import Lost
from builder.render import CachedPage, PageContent
from builder.render.render_page import make
from builder.site import SitePage
from builder.theme import Folders, PageView, SiteView, ThemeView, templates
from builder.workers.process import Process
from builder.workers.processors import COLLECT

READY = "ready"
"""The first thing that the process sends: what is asked from then on is answered at once."""
SPARE = 5.0
"""Seconds after its time in which the parent ends a process. Where that has gone, the system ends it then."""


class MakePage(Struct, frozen=True):
    """A page is asked for, made with the context that was sent last."""

    page: SitePage


class FrameRequest(Struct, frozen=True):
    """A document is asked for: the view of a page in the site's own templates."""

    folders: Folders
    site: SiteView
    theme: ThemeView
    view: PageView

    def html(self) -> str:
        """The document. Raises ThemeError."""
        return templates.page(self.folders, self.site, self.theme, self.view)


class RedirectRequest(Struct, frozen=True):
    """The document at an old address is asked for, which leads to `target`."""

    folders: Folders
    site: SiteView
    theme: ThemeView
    target: str
    canonical: str

    def html(self) -> str:
        """The document. Raises ThemeError."""
        return templates.redirect(self.folders, self.site, self.theme, self.target, self.canonical)


class Failed(Struct, frozen=True):
    """A template of the site's own has failed."""

    message: str
    path: str
    hint: str


class Crashed(Struct, frozen=True):
    """A fault of ours."""

    message: str


Question = MakePage | FrameRequest | RedirectRequest
Answer = CachedPage | PageContent | str | Failed | Crashed
"""A page as the cache keeps it, which is quicker to read, or as it is, when it has what cannot be kept. Or
a document."""


def serve(pipe: Connection, seconds: float) -> None:
    """Answer until the parent is gone; an answer may take so long."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    gc.set_threshold(COLLECT)
    context: Context | None = None
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
        pipe.send(READY)
        while True:
            asked: Context | Question = pipe.recv()
            if isinstance(asked, Context):
                context = asked
                continue
            limit(seconds + SPARE)
            answer = _answer(asked, context)
            limit(0)
            pipe.send(answer)


def _answer(question: Question, context: Context | None) -> Answer:
    try:
        if not isinstance(question, MakePage):
            return question.html()
        assert context is not None  # noqa: S101 - it is sent first
        made = make(question.page, context)
        return pack(made) or made
    except ThemeError as error:
        return Failed(error.message, error.path, error.hint)
    except Exception as error:  # noqa: BLE001 - a fault of ours is told to the one who asked
        return Crashed(f"{type(error).__name__}: {error}")


def limit(seconds: float) -> None:
    """Have the system end this process after so long, whatever it is at."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


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
        if context is not None:
            self._tell(pipe, context)
        spent = self._process.spent()
        pipe.send(question)
        if self._is_closed() or not self._is_ready or not self._has_come(pipe, seconds, spent, may_go_on):
            self.end()
            return None
        answer: Answer = pipe.recv()
        return answer

    def expect(self, context: Context) -> None:
        """Send what pages will be made with; on a large site that takes long. Raises EOFError and OSError."""
        self._tell(self._started(), context)

    def _tell(self, pipe: Connection, context: Context) -> None:
        if self._told is not context:
            pipe.send(context)
            self._told = context

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
        """Return whether the answer comes within so many seconds; more when the process had no processor."""
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
