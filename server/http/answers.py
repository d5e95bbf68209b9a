"""Headers of every answer, and the answers that any server here gives by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from server.http import request_id
from server.process.faults import describe

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "Twinpress",
}
YEAR_OF_TLS = "max-age=31536000"
"""Names below ours are not ours to speak for."""

_METHODS = "GET, HEAD, PUT, POST, DELETE, OPTIONS"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def no_resource(request: web.Request) -> web.Response | None:
    """The answer to a request that is for no page or endpoint: for a proxy, or for the server as a whole."""
    if request.method == hdrs.METH_CONNECT:
        return web.Response(status=405, headers={"Allow": _METHODS}, text="This server is no proxy.\n")
    if request.raw_path == "*":
        return web.Response(status=204, headers={"Allow": _METHODS})
    return None


def fault_guard(tell: Callable[[str], None]) -> Middleware:
    """Turns a fault of ours into an answer and a line for the person at the terminal."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except (web.HTTPException, ConnectionError):
            raise
        except Exception as error:  # noqa: BLE001 - the last resort; it is told
            tell(f"Twinpress failed to answer {request.path}: {describe(error)}")
            return web.Response(status=500, text="Twinpress failed to answer; the terminal says why.\n")

    return guard


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal handler: the headers of every answer, where it says nothing else."""
    response.headers["Server"] = HEADERS["Server"]  # in the place of the library's own
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-cache")
    if request_id.REQUEST in request:
        response.headers.setdefault(request_id.HEADER, request[request_id.REQUEST])


async def keep_tls(_: web.Request, response: web.StreamResponse) -> None:
    """Signal handler: browsers that came by TLS once ask for nothing in the open any more (RFC 6797)."""
    response.headers.setdefault("Strict-Transport-Security", YEAR_OF_TLS)
