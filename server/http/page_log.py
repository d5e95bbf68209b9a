"""The log of requests that are for no API: each gets an id, is timed, and is told without its address.

Addresses of pages hold one-time links and ids of secrets that are shown once. So the log has the route, such
as `/reset/{token}`, and never the address itself.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from aiohttp import web
from aiohttp.typedefs import Middleware

from server.http import answers, request_id
from server.http.api_target import is_asked
from server.http.logged_request import GONE, Log, LoggedRequest, client_of

WHO = web.RequestKey("who", str)
"""Where a request has who is signed in, for the log."""
ANY, NOWHERE = "/{path:.*}", "/{path}"
"""The route of all that there is not, and how the framework calls it."""
PAGE, NO_PAGE = "(a page)", "(no such page)"


def page_log(log: Log, area: str, quiet: Collection[str] = ()) -> Middleware:
    """Tell of each request; of those for a route of `quiet` only when they were refused."""

    @web.middleware
    async def guard(request: web.Request, handler: answers.Handler) -> web.StreamResponse:
        if is_asked(request):
            return await handler(request)
        started, status = time.perf_counter(), GONE
        request[request_id.REQUEST] = request_id.fresh()
        try:
            response = await handler(request)
            status = response.status
        except web.HTTPException as error:
            status = error.status
            raise
        finally:
            log(_logged(request, status, time.perf_counter() - started, area, quiet))
        return response

    return guard


def _unnamed(status: int) -> str:
    """Return what stands for the address of a request that has no route of its own."""
    return NO_PAGE if status == 404 else PAGE


def _logged(
    request: web.Request, status: int, seconds: float, area: str, quiet: Collection[str]
) -> LoggedRequest:
    resource = request.match_info.route.resource
    route = resource.canonical if resource is not None else ""
    return LoggedRequest(
        request[request_id.REQUEST],
        request.method,
        _unnamed(status) if route in {"", NOWHERE} else route,
        status,
        seconds,
        request.get(WHO, ""),
        area=area,
        route=route,
        client=client_of(request),
        is_quiet=route in quiet and status < 400,
    )
