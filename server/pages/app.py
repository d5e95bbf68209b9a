"""The API in a web application: its routes, and the middleware that answers for everything below `/api/`.

Order of checks: the host, the key, the rate, then the route, then the body.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import unquote

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from aiohttp.typedefs import Middleware
from msgspec import Struct

from server.control.errors import DatabaseBusy
from server.control.key_text import redacted
from server.control.keys import Keys
from server.control.records import KeyRecord
from server.control.sites import LocalSite
from server.faults import describe
from server.pages import auth, envelope, ids
from server.pages.endpoints import BASE, DOCUMENT, PREFIX, by_path
from server.pages.failure import Failure
from server.pages.handlers import Handlers
from server.pages.limits import RateLimit

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_CLOSED = "the authoring API could not be started; the terminal of the server says why"
_UNKNOWN_HOST = "this server does not answer to that host name: ask for `localhost`, or start it with --host"
Allowed = Callable[[web.Request], bool]
CHUNKED = "chunked"
GONE = 499
"""The status in the log of a request whose client left before the answer."""

_ENCODED = re.compile(r"%(3\d|[46][1-9a-f]|[57][0-9a]|5f)", re.IGNORECASE)
"""A letter, digit or `_` that need not be percent-encoded."""
_HTTP = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE", 415: "UNSUPPORTED_MEDIA_TYPE"}


class Access(Struct, frozen=True):
    """One request, for the log, without secrets: `key` names the key by its kind and last characters."""

    id: str
    method: str
    path: str
    status: int
    seconds: float
    key: str


Log = Callable[[Access], None]


class Gate(Struct, frozen=True):
    """Who may pass. `allowed` says whether the server answers to the host that a request is sent to.

    `log` is told of every request, `tell` of faults of ours.
    """

    keys: Keys
    site: LocalSite
    rate: RateLimit
    allowed: Allowed
    log: Log
    tell: Callable[[str], None]


def add_routes(app: web.Application, handlers: Handlers) -> None:
    """The endpoints; nothing else may answer below `/api/`, the preview least of all."""
    for path, methods in endpoints(handlers).items():
        known = {"HEAD": methods["GET"], **methods} if "GET" in methods else methods
        for method, handler in known.items():
            app.router.add_route(method, BASE + path, handler, expect_handler=_later)
        others = _refuse_method(", ".join(sorted(known)))
        app.router.add_route("*", BASE + path, others, expect_handler=_later)
    app.router.add_get(DOCUMENT, handlers.document, allow_head=False, expect_handler=_later)
    app.router.add_route("*", DOCUMENT, _refuse_method("GET"), expect_handler=_later)
    for place in (PREFIX.rstrip("/"), PREFIX + "{rest:.*}"):
        app.router.add_route("*", place, _nowhere, expect_handler=_later)


def endpoints(handlers: Handlers) -> Mapping[str, Mapping[str, Handler]]:
    """Each path below the base with its methods, as the table has them."""
    return {
        path: {method: getattr(handlers, endpoint.operation) for method, endpoint in methods.items()}
        for path, methods in by_path().items()
    }


async def _later(_: web.Request) -> None:
    """`Expect: 100-continue` is answered when the body is wanted, which is after the key was checked."""


def _refuse_method(allowed: str) -> Handler:
    async def refuse(request: web.Request) -> web.Response:
        message = f"{request.method} is not possible here (but {allowed})"
        raise Failure("METHOD_NOT_ALLOWED", message, {"Allow": allowed})

    return refuse


async def _nowhere(request: web.Request) -> web.Response:
    raise Failure("NOT_FOUND", f"there is no `{request.path[:200]}` here (the endpoints are below `{BASE}`)")


def _is_route_of_api(request: web.Request) -> bool:
    """Whether an endpoint answers, and not the preview, for which `%2F` is no slash."""
    resource = request.match_info.route.resource
    return resource is not None and f"{resource.canonical}/".startswith(PREFIX)


class _Asked(Struct):
    """A request on its way."""

    id: str
    key: str = ""


_Answer = Callable[[web.Request, Handler, _Asked], Awaitable[web.StreamResponse]]


def api_guard(gate: Gate) -> Middleware:
    """Answers for the API: checks the key first, and gives every answer its one form."""

    async def answer(request: web.Request, handler: Handler, asked: _Asked) -> web.StreamResponse:
        return await _answer(gate, request, handler, asked)

    return _guarding(answer, gate.log)


def closed_guard(allowed: Allowed, log: Log) -> Middleware:
    """Answers for an API that could not be started."""

    async def answer(request: web.Request, _: Handler, __: _Asked) -> web.StreamResponse:
        known = allowed(request)
        code, message = ("INTERNAL", _CLOSED) if known else ("UNKNOWN_HOST", _UNKNOWN_HOST)
        return envelope.refusal(Failure(code, message))

    return _guarding(answer, log)


def _guarding(answer: _Answer, log: Log) -> Middleware:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _ours(request):
            return await handler(request)
        started = time.perf_counter()
        asked, status = _Asked(ids.fresh()), GONE
        try:
            response = await answer(request, handler, asked)
            response.headers[ids.HEADER] = asked.id
            status = response.status
        finally:
            seconds = time.perf_counter() - started
            log(Access(asked.id, request.method, _shown(request.path_qs), status, seconds, asked.key))
        return response

    return guard


def _ours(request: web.Request) -> bool:
    """Whether the target is below `/api`, as it was sent or as somebody may understand it."""
    return f"{unquote(request.path)}/".startswith(PREFIX) or request.raw_path.startswith(PREFIX)


async def _answer(gate: Gate, request: web.Request, handler: Handler, asked: _Asked) -> web.StreamResponse:
    try:
        _check_form(request)
        if not gate.allowed(request):
            raise Failure("UNKNOWN_HOST", _UNKNOWN_HOST)
        if request.method == "GET" and request.path == DOCUMENT:
            return await handler(request)
        key = auth.check(gate.keys, auth.key_of(request), gate.site)
        asked.key = _named(key)
        gate.rate.take(key.id, key.kind)
        request[auth.KEY] = key
        return await (handler if _is_route_of_api(request) else _nowhere)(request)
    except Failure as failure:
        return envelope.refusal(failure)
    except web.HTTPException as error:
        return _of_http(error)
    except ConnectionError:
        raise
    except DatabaseBusy as error:
        return envelope.refusal(Failure("TOO_BUSY", error.message, {"Retry-After": "1"}))
    except Exception as error:  # noqa: BLE001 - the last resort: it is told, and the answer keeps its form
        asked_for = f"{request.method} {_shown(request.path)}"
        gate.tell(f"Twinpress failed to answer {asked_for} ({asked.id}): {redacted(describe(error))}")
        return envelope.refusal(Failure("INTERNAL", f"Twinpress failed; the log says why at {asked.id}"))


def _check_form(request: web.Request) -> None:
    """Raise Failure for what another reader of the same bytes could take for something else."""
    if request.version not in {HttpVersion10, HttpVersion11}:
        raise Failure("BAD_REQUEST", "speak HTTP/1.1", last=True)
    if request.headers.get(hdrs.TRANSFER_ENCODING, CHUNKED).strip().lower() != CHUNKED:
        raise Failure("BAD_REQUEST", "send the body as it is, or in chunks", last=True)


def _of_http(error: web.HTTPException) -> web.Response:
    """What the framework refuses."""
    code = _HTTP.get(error.status, "BAD_REQUEST")
    headers = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
    return envelope.refusal(Failure(code, (error.text or error.reason).strip(), headers))


def _shown(target: str) -> str:
    """An address without keys, also without those whose letters are percent-encoded."""
    return redacted(_ENCODED.sub(lambda found: chr(int(found[1], 16)), target))


def _named(key: KeyRecord) -> str:
    return f"{key.prefix}…{key.last_four}"
