"""The five endpoints and the guide over HTTP: read the request, call the operation, answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from aiohttp import hdrs, web
from msgspec import Struct

from server.api.authentication import PASS, Handler
from server.api.request import body, flag, query, query_as
from server.authoring import authenticate_site
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Changing, Reply, TakePicture
from server.authoring.conditions import Conditions, Tags, tags
from server.authoring.lookup.lookup_operations import LookupOperations
from server.authoring.lookup.lookup_structs import SiteQuery
from server.authoring.page_operations import PageOperations
from server.authoring.site_view import Published
from server.authoring.structs import GuideQuery, PutCategory, PutPage
from server.http import accept, envelope
from server.http.failure import Failure

T = TypeVar("T", bound=Struct)

PUBLISHED: web.RequestKey[Callable[[], Published]] = web.RequestKey("published")
"""Where a request has the function that says what readers have of its site; it may wait for the disk."""

CHANGING: web.RequestKey[Changing] = web.RequestKey("changing")
"""Where a request has what surrounds the changes that it makes."""

PREVIEW_ROOT: web.AppKey[Callable[[web.Request], str]] = web.AppKey("preview_root")
"""Where an application that shows the site has the address of the site's root, as a request sees it."""

OWNERS_PREVIEW: web.RequestKey[Callable[[], str]] = web.RequestKey("owners_preview")
"""Where a request has the same of a service, whose previews open for the site's owner alone."""

TAKE_PICTURE: web.AppKey[TakePicture] = web.AppKey("take_picture")
"""Where such an application has what takes pictures of its pages."""

PICTURES: web.RequestKey[TakePicture] = web.RequestKey("pictures")
"""Where a request has the same, of its own site."""


def caller_of(request: web.Request) -> Caller:
    """Return the caller that a request comes from, who has been let in."""
    root = request.app.get(PREVIEW_ROOT)
    known: dict[str, Any] = {
        "published": request.get(PUBLISHED),
        "changing": request.get(CHANGING),
        "preview_root": partial(root, request) if root else request.get(OWNERS_PREVIEW),
        "picture": request.get(PICTURES) or request.app.get(TAKE_PICTURE),
    }
    given = {name: value for name, value in known.items() if value is not None}
    return Caller(request[authenticate_site.KEY], request[PASS].check, **given)


def answered(reply: Reply) -> web.Response:
    """Answer with what an operation has replied."""
    return envelope.success(reply.result, reply.status, reply.headers)


def by_query(kind: type[T], act: Callable[[T, Caller], Awaitable[Reply]]) -> Handler:
    """Return the handler of an operation whose input is the query alone."""

    async def answer(request: web.Request) -> web.Response:
        return answered(await act(query_as(request, kind), caller_of(request)))

    return answer


def by_body(
    parts: AuthoringParts, kind: type[T], act: Callable[[T, Caller, bool], Awaitable[Reply]]
) -> Handler:
    """Return the handler of a change whose input is a body; `?dry_run=true` makes it a rehearsal."""

    async def answer(request: web.Request) -> web.Response:
        rehearsal = flag(request, "dry_run")
        asked = await body(request, kind, parts.limits, parts.readers)
        return answered(await act(asked, caller_of(request), rehearsal))

    return answer


def page_path(request: web.Request, *others: str) -> str:
    """The parameter `path`; there may be `others` behind it."""
    path = query(request, "path", *others).get("path")
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


class Handlers(Struct, frozen=True):
    """The endpoints of one site."""

    operations: PageOperations
    lookup: LookupOperations

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

    async def _body(self, request: web.Request, kind: type[T]) -> T:
        return await body(request, kind, self.operations.parts.limits, self.operations.parts.readers)

    async def site(self, request: web.Request) -> web.Response:
        """`GET /ai/site`, whole or in parts."""
        if request.query:
            return answered(await self.lookup.listed(query_as(request, SiteQuery), caller_of(request)))
        return answered(await self.operations.site(caller_of(request)))

    async def guide(self, request: web.Request) -> web.Response:
        """`GET /ai/guide`, as markdown to those who prefer it."""
        reply = await self.operations.guide(query_as(request, GuideQuery))
        if accept.prefers_markdown(request.headers.getall("Accept", []), accept.JSON):
            text, headers = reply.result.markdown, {**envelope.HEADERS, **reply.headers}
            return web.Response(text=text, content_type="text/markdown", charset="utf-8", headers=headers)
        return answered(reply)

    async def page(self, request: web.Request) -> web.Response:
        """`GET /ai/page`, or one section of it."""
        path, section = page_path(request, "section"), request.query.get("section")
        if section:
            return await self._section(request, path, section)
        answer = await self.operations.page(path)
        headers = {"ETag": f'"{answer.revision}"', **caller_of(request).preview_link(answer.url)}
        if has_revision(request, answer.revision):
            return web.Response(status=304, headers={**envelope.HEADERS, **headers})
        return envelope.answer(answer.body, headers=headers)

    async def _section(self, request: web.Request, path: str, section: str) -> web.Response:
        reply = await self.lookup.section(path, section, caller_of(request))
        if has_revision(request, reply.headers["ETag"].strip('"')):
            return web.Response(status=304, headers={**envelope.HEADERS, **reply.headers})
        return answered(reply)

    async def put(self, request: web.Request) -> web.Response:
        """`PUT /ai/page`."""
        rehearsal, conditions = flag(request, "dry_run"), read_conditions(request)
        put = await self._body(request, PutPage)
        return answered(await self.operations.put(put, conditions, caller_of(request), rehearsal=rehearsal))

    async def delete(self, request: web.Request) -> web.Response:
        """`DELETE /ai/page`."""
        path, conditions = page_path(request, "dry_run"), read_conditions(request)
        rehearsal, by = flag(request, "dry_run", "path"), caller_of(request)
        return answered(await self.operations.delete(path, conditions, by, rehearsal=rehearsal))

    async def category(self, request: web.Request) -> web.Response:
        """`POST /ai/category`."""
        query(request)
        put = await self._body(request, PutCategory)
        return answered(await self.operations.category(put, caller_of(request)))
