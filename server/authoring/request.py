"""What a request about a page says: which page, and on what it depends."""

from __future__ import annotations

from aiohttp import hdrs, web

from server.api.request import query
from server.authoring.conditions import Conditions, Tags, tags
from server.http.failure import Failure


def page_path(request: web.Request) -> str:
    """The parameter `path`."""
    path = query(request, "path").get("path")
    if not path:
        raise Failure("INVALID_QUERY", "path: is missing (write `?path=docs/...`)")
    return path


def conditions(request: web.Request) -> Conditions:
    """`If-Match` and `If-None-Match`. Raises Failure where the latter says nothing that could hold."""
    match, none_match = _tags(request, hdrs.IF_MATCH), _tags(request, hdrs.IF_NONE_MATCH)
    if none_match is not None and none_match.malformed:
        raise Failure("BAD_REQUEST", "If-None-Match: expected `*`, or revisions in quotes")
    return Conditions(match, none_match)


def has(request: web.Request, revision: str) -> bool:
    """Whether the client has this very revision, and wants nothing but another one."""
    given = _tags(request, hdrs.IF_NONE_MATCH)
    return given is not None and (given.any or revision in given.all)


def _tags(request: web.Request, name: str) -> Tags | None:
    lines = request.headers.getall(name, None)
    return None if lines is None else tags(lines)
