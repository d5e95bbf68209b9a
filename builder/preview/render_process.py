"""The process that makes pages for the preview: one after another, until its parent is gone."""

from __future__ import annotations

import gc
import signal
from contextlib import suppress
from multiprocessing.connection import Connection

from msgspec import Struct

from builder.cache import CacheRow, pack
from builder.errors import ThemeError
from builder.markdown.context import Context
from builder.render import PageContent
from builder.render.render_page import make
from builder.site import SitePage
from builder.theme import Folders, PageView, SiteView, ThemeView, templates
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
Answer = CacheRow | PageContent | str | Failed | Crashed
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
            _limit(seconds + SPARE)
            answer = _answer(asked, context)
            _limit(0)
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


def _limit(seconds: float) -> None:
    """Have the system end this process after so long, whatever it is at."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
