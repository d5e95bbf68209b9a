"""The server of tools that read a published site: `/mcp` on the site's host, for all who may read it.

Sites are opened for it one by one, and the ones that were asked for last stay open. Its work has threads of
its own: however much is searched, pages do not wait.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from aiohttp import hdrs, web

from server.http.addresses import Proxies
from server.http.failure import Failure
from server.http.keyless_limits import KeylessLimits
from server.mcp import card, http
from server.mcp.find import opened
from server.mcp.reading import ReadingService, SiteReader
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import read_part
from server.site_serving import plain_answers
from server.site_serving.live_site import LiveSite
from server.site_serving.object_memory import read_object
from server.site_serving.raw_answer import RawAnswer, encoded

T = TypeVar("T")

PLACE, CARD = "/mcp", f"/{card.PATH}"
REQUESTS = 600
"""Messages of one address in a minute."""
OPEN, KEPT = 16, 1_000_000
"""Sites that stay open, and bytes of the index of each that are kept: some 80 MB in all, at most."""
THREADS = 4
LARGEST = 32 * 1024 * 1024
"""Bytes of a file that is read: lists and the search of very large sites."""
FRESH_MS = 60_000


def is_message(request: web.BaseRequest) -> bool:
    """Return whether a client of the protocol asks."""
    return request.method == hdrs.METH_POST and request.path == PLACE


class McpAnswers:
    """Answers for all sites. For one event loop."""

    def __init__(self, proxies: Proxies = Proxies()) -> None:  # noqa: B008 - it is frozen
        self._limits = KeylessLimits(requests=REQUESTS, proxies=proxies)
        self._open: OrderedDict[ReleaseStore, tuple[LiveSite, SiteReader]] = OrderedDict()
        self._threads = ThreadPoolExecutor(THREADS, "twinpress-mcp")

    async def answer(self, request: web.BaseRequest, site: LiveSite) -> RawAnswer:
        """Answer a message to a site that is live. Raises DamagedObject and StorageError."""
        try:
            self._limits.visit(request)
            data = await http.read_post(request, http.READING)
        except Failure as failure:
            return _sent(http.refused(failure))
        reader = self._reader(site)
        return _sent(await http.answer(request, data, ReadingService(reader, self._run, FRESH_MS)))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _reader(self, site: LiveSite) -> SiteReader:
        known = self._open.get(site.store)
        if known is None or known[0] is not site:
            known = (site, opened(lambda output: read_file(site, output), KEPT))
        self._open[site.store] = known
        self._open.move_to_end(site.store)
        while len(self._open) > OPEN:
            self._open.popitem(last=False)
        return known[1]


def read_file(site: LiveSite, output: str) -> bytes | None:
    """The bytes of a file of a release, None where there is none. Raises DamagedObject and StorageError."""
    file = site.files.get(output)
    if file is None:
        return None
    packed = read_object(site.store, file.digest)
    start, length = packed.parts.identity
    if packed.is_whole:
        return packed.data[start : start + length]
    return read_part(site.store.objects, packed.stored, start, length) if length <= LARGEST else None


def only_messages() -> RawAnswer:
    """The answer to who asks in another way at the address of the server."""
    return plain_answers.plain(405, "Send messages of the Model Context Protocol by POST.", ("Allow", "POST"))


def card_of(request: web.BaseRequest) -> RawAnswer:
    """The card by which clients find the server."""
    body = card.card(request.headers.get(hdrs.HOST, ""), PLACE)
    headers = (
        *plain_answers.STRICT,
        plain_answers.NO_INDEX,
        ("Cache-Control", "public, max-age=0, must-revalidate"),
        ("Content-Security-Policy", plain_answers.POLICY),
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
    )
    return RawAnswer(200, encoded(headers), body)


def _sent(made: http.McpAnswer) -> RawAnswer:
    headers = (
        *plain_answers.STRICT,
        plain_answers.NO_INDEX,
        ("Content-Security-Policy", plain_answers.POLICY),
        *((name, value) for name, value in made.all_headers.items() if name != "X-Content-Type-Options"),
        ("Content-Length", str(len(made.body))),
    )
    answer = RawAnswer(made.status, encoded(headers), made.body)
    if made.last:
        answer.force_close()
    return answer
