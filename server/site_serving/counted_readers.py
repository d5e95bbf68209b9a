"""Count what readers do, in memory, and write it out every few seconds: an answer waits for nothing.

Who asks is told by what was asked for, by `User-Agent`, and by whether a script of the site's own pages asks;
nothing else of a request is looked at or kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from multidict import istr

from builder.errors import TwinpressError
from server.log_repeats import Repeats
from server.readers.audience import OTHERS, audience, machine
from server.readers.reader_counts import ReaderCounts
from server.readers.tally import Tally
from server.site_serving import plain_answers
from server.site_serving.live_site import LiveSite
from server.site_serving.raw_answer import RawAnswer

SEARCHES = "_tp/searches"
"""The file of a release whose pages tell of searches without a result, where the owner wants to know."""
EVERY = 5.0
"""Seconds between two writes: what a crash loses at most."""
_TOLD_AGAIN = 600.0
_MISSING = 404
_FOLLOWED = frozenset({"", "document", "empty", "frame", "iframe"})
"""Values of `Sec-Fetch-Dest` of who follows a link; others are for pictures, styles and scripts of a page."""
_BEACON = f"/{SEARCHES}"
_LONGEST_BODY, _PATIENCE = 400, 5.0
"""Bytes of a text that was searched for, and seconds in which it has to arrive."""
_SEC_PURPOSE, _PURPOSE = istr("Sec-Purpose"), istr("Purpose")
"""Headers with which a browser says that it fetches a page that nobody looks at yet."""


def is_beacon(request: web.BaseRequest) -> bool:
    """Return whether a browser tells of a search without a result."""
    return request.method == hdrs.METH_POST and request.path == _BEACON


def _asks_by_itself(request: web.BaseRequest) -> bool:
    """Return whether a script of the site's own pages asks: for an excerpt, or to copy a page.

    Browsers say so but on plain HTTP: there the address of the page tells it.
    """
    asked = request.headers
    if "Sec-Fetch-Site" in asked:
        return asked["Sec-Fetch-Site"] == "same-origin" and asked.get("Sec-Fetch-Dest") == "empty"
    return urlsplit(asked.get(hdrs.REFERER, "")).netloc == request.host


class CountedReaders:
    """Counts readers; without `counts`, nothing is kept. `tell` is told once while they cannot be written."""

    def __init__(self, counts: ReaderCounts | None, tell: Callable[[str], None]) -> None:
        self._counts = counts
        self._tell = tell
        self._tally = Tally()
        self._repeats = Repeats(_TOLD_AGAIN)

    def count(self, site: str, request: web.BaseRequest, answer: RawAnswer) -> None:
        """Count the answer to a GET: a page that was shown, or an address at which there is nothing."""
        shown = answer.shown
        if shown is None:
            if answer.status == _MISSING:
                self._count_vain(site, request)
            return
        asked = request.headers
        if _SEC_PURPOSE in asked or _PURPOSE in asked:
            return
        if shown.is_for_machines and _asks_by_itself(request):
            return
        who = machine if shown.is_for_machines else audience
        self._tally.view(site, shown.page, who(asked.get(hdrs.USER_AGENT, "")))

    def _count_vain(self, site: str, request: web.BaseRequest) -> None:
        asked = request.headers
        if asked.get("Sec-Fetch-Dest", "") in _FOLLOWED and _SEC_PURPOSE not in asked:
            who = machine if request.path.endswith(".md") else audience
            self._tally.vain(site, request.path, who(asked.get(hdrs.USER_AGENT, "")))

    async def search(self, request: web.BaseRequest, id: str, site: LiveSite) -> RawAnswer:
        """Count a search without a result, where the site's owner wants to know; answers the browser."""
        if SEARCHES not in site.files or not site.pointer.live:
            return plain_answers.not_allowed()
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return plain_answers.plain(403, "Only the site's own pages tell of searches.")
        length = request.content_length
        if length is None or not 0 < length <= _LONGEST_BODY:
            return plain_answers.plain(413, f"The text of a search has at most {_LONGEST_BODY} bytes.")
        try:
            body = await asyncio.wait_for(request.content.readexactly(length), _PATIENCE)
        except (asyncio.IncompleteReadError, TimeoutError):
            return plain_answers.plain(400, "The text of the search has not arrived.")
        if audience(request.headers.get(hdrs.USER_AGENT, "")).kind == "people":
            self._tally.search(id, body.decode(errors="replace"))
        return plain_answers.taken()

    async def write(self) -> None:
        """Write what was counted; what cannot be written stays for the next time."""
        taken = self._tally.take()
        if not taken or self._counts is None:
            return
        try:
            await asyncio.to_thread(self._counts.add, taken)
        except TwinpressError as error:
            if self._repeats.hear(OTHERS) is not None:
                self._tell(f"What readers do cannot be written, and is counted in memory: {error}")
        else:
            if self._repeats.forget(OTHERS) is not None:
                self._tell("What readers do is written again.")
        finally:
            self._tally.give_back(taken)

    async def keep_writing(self) -> None:
        """Write now and then, for ever."""
        while True:
            await asyncio.sleep(EVERY)
            await self.write()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Write now and then while the block runs, and what is left at its end."""
        task = asyncio.create_task(self.keep_writing())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            await self.write()
