"""Makes pages in processes that can be ended, so that no page keeps others from being made.

Most pages are made by one process, for which the preview waits. A page that takes longer than most is made
again by another one, aside, while the first, begun anew, goes on with others; it is given up when its time is
up. Who asks for a page while it is aside, or has been, gets it by asking again. Of several that are aside
each is tried for a short time before one gets all of its time.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from queue import PriorityQueue
from threading import Thread

from msgspec import Struct

from builder.cache import unpack
from builder.digests import digest
from builder.errors import ThemeError
from builder.markdown.context import Context
from builder.preview.page_maker import Lost, TooLong, Unfinished
from builder.preview.render_process import (
    Answer,
    Crashed,
    Failed,
    FrameRequest,
    Lane,
    MakePage,
    Question,
    RedirectRequest,
)
from builder.render import CachedPage, PageContent
from builder.site import SitePage
from builder.theme import Folders, PageView, SiteView, ThemeView

SECONDS = 10.0
"""For one page, as for a review of it."""
PATIENCE = 0.5
"""Seconds that others wait for a page; those of 100 KB take a quarter of that. On a machine that is so busy
that the process has no processor meanwhile, they wait for longer."""
HURRY, MANY = 0.2, 3
"""Seconds that others wait for templates while so many pages are aside: more that take long are to be
expected. A text is given all of the patience: a new process may have to load what highlights its code."""
GLANCE = 1.0
"""Seconds that a page aside has at first when others are aside; most that take long for a page take less."""
_END, _NEW, _AGAIN = range(3)
"""What comes first of what waits aside."""


class _Aside(Struct, eq=False):
    """A question that takes long; `answer` is there when it `is_done`, and is None for one that was given up.

    It `is_quick` when it has taken no longer than others. One that `had_glance` gets all of its time.
    """

    question: Question
    context: Context | None
    key: object
    is_wanted: bool = True
    is_done: bool = False
    is_quick: bool = False
    had_glance: bool = False
    answer: Answer | Lost | None = None


class ProcessRenderer:
    """Makes pages for one thread; `wake` is called, in another, whenever a page that was aside is done."""

    def __init__(
        self, wake: Callable[[], None], seconds: float = SECONDS, patience: float = PATIENCE
    ) -> None:
        self._wake = wake
        self._seconds = seconds
        self._patience = patience
        self._is_closed = False
        self._quick = Lane(seconds, lambda: self._is_closed)
        self._slow = Lane(seconds, lambda: self._is_closed)
        self._aside: dict[str, _Aside] = {}
        self._long: dict[str, None] = {}
        self._queue: PriorityQueue[tuple[int, int, _Aside | None]] = PriorityQueue()
        self._numbers = count()
        self._thread: Thread | None = None

    @property
    def templates(self) -> ProcessRenderer:
        """The renderer of the site's own templates."""
        return self

    @property
    def waited(self) -> float:
        """Seconds that were spent on waiting for the process to start."""
        return self._quick.waited

    def start(self) -> None:
        """Begin, so that the first page need not wait for it."""
        with suppress(OSError):  # whoever asks for a page is told
            self._quick.prepare()

    def expect(self, context: Context) -> None:
        """Get ready for pages that are made with this context."""
        with suppress(EOFError, OSError):  # whoever asks for a page is told
            self._quick.expect(context)

    def make(self, page: SitePage, context: Context, key: bytes) -> PageContent:
        """The page. Raises Unfinished, and TooLong or Lost; asked again after these, it is made anew."""
        answer = self._ask(page.path, MakePage(page), context, (key, page))
        assert isinstance(answer, CachedPage | PageContent)  # noqa: S101 - as that is what was asked for
        return unpack(answer, text=True) if isinstance(answer, CachedPage) else answer

    def page(self, folders: Folders, site: SiteView, theme: ThemeView, view: PageView) -> str:
        """The whole HTML document of a page. Raises ThemeError, and what `make` does."""
        return self._html(f"{view.kind} {view.twin}", FrameRequest(folders.templates(), site, theme, view))

    def redirect(
        self, folders: Folders, site: SiteView, theme: ThemeView, target: str, canonical: str
    ) -> str:
        """The document that leads from an old address to `target`. Raises as `page` does."""
        document = RedirectRequest(folders.templates(), site, theme, target, canonical)
        return self._html(f"redirect {site.nav} {target}", document)

    def close(self) -> None:
        """End all that is going on; nothing may be asked for any more."""
        self._is_closed = True
        self._quick.end()
        self._put(_END, None)
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
            answer = self._quick.ask(question, context, self._time_of(question), lambda: False)
            if answer is not None:
                return _sound(answer)
            self.start()  # for the next one
        self._put_aside(name, _Aside(question, context, key))
        raise Unfinished

    def _time_of(self, question: Question) -> float:
        """The patience, of which there is less with templates while many are aside."""
        if isinstance(question, MakePage):
            return self._patience
        aside = sum(each.is_wanted and not each.is_done for each in self._aside.values())
        return min(HURRY, self._patience) if aside >= MANY else self._patience

    def _put_aside(self, name: str, aside: _Aside) -> None:
        self._long[name] = None
        self._aside[name] = aside
        if self._thread is None:
            self._thread = Thread(target=self._run, name="twinpress-aside", daemon=True)
            self._thread.start()
        self._put(_NEW, aside)

    def _put(self, rank: int, aside: _Aside | None) -> None:
        self._queue.put((rank, next(self._numbers), aside))

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
            while (aside := self._queue.get()[2]) is not None:
                if aside.is_wanted and not self._is_closed:
                    self._finish(aside)
        finally:
            self._slow.end()

    def _finish(self, aside: _Aside) -> None:
        """Have the question answered or give it up; or put it behind others, if these have not been tried."""
        gives_way = False

        def may_go_on() -> bool:
            nonlocal gives_way
            gives_way = not aside.had_glance and self._has_others()
            return aside.is_wanted and not gives_way

        started = time.monotonic()
        try:
            seconds = min(GLANCE, self._seconds)
            aside.answer = self._slow.ask(aside.question, aside.context, seconds, may_go_on)
        except Lost as lost:
            aside.answer = lost
        if aside.answer is None and gives_way:
            aside.had_glance = True
            self._put(_AGAIN, aside)
            return
        aside.is_quick = time.monotonic() - started < self._patience
        aside.is_done = True
        if aside.is_wanted:
            self._wake()

    def _has_others(self) -> bool:
        """Return whether some are aside that were never tried."""
        with self._queue.mutex:
            return bool(self._queue.queue) and self._queue.queue[0][0] < _AGAIN


def _sound(answer: Answer) -> Answer:
    """The answer, if it is none of a failure."""
    if isinstance(answer, Failed):
        raise ThemeError(answer.message, path=answer.path, hint=answer.hint)
    if isinstance(answer, Crashed):
        raise Lost(answer.message)
    return answer
