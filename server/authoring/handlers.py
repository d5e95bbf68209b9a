"""The five endpoints and the guide: read the request, have the service do it, answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TypeVar

from aiohttp import hdrs, web
from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.paths import TWIN_SUFFIX
from builder.store import ChangeNote
from server.api.authentication import PASS, Handler
from server.api.request import body, flag, query
from server.authoring import authenticate_site
from server.authoring.answer_cache import Answer, Recent
from server.authoring.compose import page_of
from server.authoring.conditions import Conditions, Tags, tags
from server.authoring.put_outcome import ChangeAuthor, PutOutcome, PutRequest
from server.authoring.reviewer import Reviewer, ReviewTooLong
from server.authoring.service import UNPUBLISHED, PagesService, Published
from server.authoring.site_key_limits import ClientLimits
from server.authoring.structs import DeleteResult, Guide, InboundLink, PutCategory, PutPage
from server.authoring.write_queue import WriteQueue
from server.http import accept, envelope
from server.http.failure import Failure

T = TypeVar("T")


PUBLISHED: web.RequestKey[Callable[[], Published]] = web.RequestKey("published")
"""Where a request has the function that says what readers have of its site; it may wait for the disk."""


def page_path(request: web.Request) -> str:
    """The parameter `path`."""
    path = query(request, "path").get("path")
    if not path:
        raise Failure("INVALID_QUERY", "path: is missing (write `?path=docs/...`)")
    return path


def read_conditions(request: web.Request) -> Conditions:
    """`If-Match` and `If-None-Match`. Raises Failure where the latter says nothing that could hold."""
    match, none_match = _tags(request, hdrs.IF_MATCH), _tags(request, hdrs.IF_NONE_MATCH)
    if none_match is not None and none_match.malformed:
        raise Failure("BAD_REQUEST", "If-None-Match: expected `*`, or revisions in quotes")
    return Conditions(match, none_match)


def has_revision(request: web.Request, revision: str) -> bool:
    """Return whether the client has this very revision, and wants nothing but another one."""
    given = _tags(request, hdrs.IF_NONE_MATCH)
    return given is not None and (given.any or revision in given.all)


def _tags(request: web.Request, name: str) -> Tags | None:
    lines = request.headers.getall(name, None)
    return None if lines is None else tags(lines)


Changed = Callable[[str], None]
"""Told of the content path of each page or folder that was changed."""


class Handlers(Struct, frozen=True):
    """The endpoints of one site. Work that waits for the disk is done in the threads of `readers`.

    Changes have their own, in `write_queue`: those that wait for theirs keep nobody from reading.
    """

    service: PagesService
    reviewer: Reviewer
    limits: ClientLimits
    readers: Executor
    write_queue: WriteQueue
    recent: Recent
    changed: Changed

    def by_operation(self) -> Mapping[str, Handler]:
        """The handler of each operation of the table."""
        return {
            "site": self.site,
            "guide": self.guide,
            "page": self.page,
            "put": self.put,
            "delete": self.delete,
            "category": self.category,
        }

    async def site(self, request: web.Request) -> web.Response:
        """`GET /ai/site`."""
        query(request)
        published = request.get(PUBLISHED, lambda: UNPUBLISHED)
        return envelope.success(await self._do(lambda: self.service.site(published())))

    async def guide(self, request: web.Request) -> web.Response:
        """`GET /ai/guide`, as markdown to those who prefer it."""
        query(request)
        markdown = await self._do(self.service.guide)
        if accept.prefers_markdown(request.headers.getall("Accept", []), accept.JSON):
            headers = {**envelope.HEADERS, "Vary": "Accept"}
            return web.Response(text=markdown, content_type="text/markdown", charset="utf-8", headers=headers)
        return envelope.success(Guide(markdown), headers={"Vary": "Accept"})

    async def page(self, request: web.Request) -> web.Response:
        """`GET /ai/page`."""
        path = page_path(request)
        answer = self.recent.get(path)
        if answer is None:
            answer = await self._do(lambda: self._page(path))
        headers = {"ETag": f'"{answer.revision}"'}
        if has_revision(request, answer.revision):
            return web.Response(status=304, headers={**envelope.HEADERS, **headers})
        return envelope.answer(answer.body, headers=headers)

    def _page(self, path: str) -> Answer:
        started = time.time_ns()
        source = self.service.source(path)
        answer = Answer(envelope.encoded(page_of(source)), source.revision)
        stem, _, format = source.file.rpartition(".")
        others = (f"{stem}{TWIN_SUFFIX}", f"{stem}.{'md' if format == 'mdx' else 'mdx'}")
        self.recent.keep(path, (source.file, *others), started, answer)
        return answer

    async def put(self, request: web.Request) -> web.Response:
        """`PUT /ai/page`."""
        rehearsal, conditions = flag(request, "dry_run"), read_conditions(request)
        put = await body(request, PutPage, self.limits, self.readers)
        asked = PutRequest(put, conditions, _writer(request), rehearsal)
        outcome = await self.write_queue.take(lambda: self.service.put(asked))
        if not rehearsal:
            self.changed(outcome.page.put.path)
        result = outcome.result(await self._reviewed(outcome))
        status = 201 if result.created and not rehearsal else 200
        return envelope.success(result, status, {"ETag": f'"{result.revision}"'})

    async def delete(self, request: web.Request) -> web.Response:
        """`DELETE /ai/page`."""
        asked, conditions = page_path(request), read_conditions(request)
        page = await self._do(lambda: self.service.source(asked, any_size=True))
        links = await self._inbound(page.path)
        await self.write_queue.take(lambda: self.service.delete(page.path, conditions, _writer(request)))
        self.changed(page.path)
        return envelope.success(DeleteResult(page.path, deleted=True, inbound_links=links))

    async def category(self, request: web.Request) -> web.Response:
        """`POST /ai/category`."""
        query(request)
        put = await body(request, PutCategory, self.limits, self.readers)
        record = await self.write_queue.take(lambda: self.service.category(put, _writer(request)))
        self.changed(record.path)
        return envelope.success(record)

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.readers, work)

    async def _reviewed(self, outcome: PutOutcome) -> tuple[Diagnostic, ...]:
        """Wait for what the review says, or why it says nothing."""
        try:
            return await asyncio.wrap_future(outcome.review)
        except (ReviewTooLong, TwinpressError) as error:
            return self.reviewer.failure_diagnostics(outcome.page.file, error)

    async def _inbound(self, path: str) -> list[InboundLink] | None:
        """The links to a page, None when they cannot be told: a page can be removed all the same."""
        try:
            found = await asyncio.wrap_future(self.reviewer.inbound(path))
        except (ReviewTooLong, TwinpressError):
            return None
        return [InboundLink(one.path, one.file, one.line, one.column) for one in found]


def _writer(request: web.Request) -> ChangeAuthor:
    """Return the author of a change, for the history, while the key is good."""
    key = request[authenticate_site.KEY]
    return ChangeAuthor(ChangeNote(key=key.id, label=key.label), request[PASS].check)
