"""The middleware that answers for everything below `/api/`.

Order of checks: the form, the host, the key, the rate, then the route, then the body, and, for a change, the
key once more.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from aiohttp.typedefs import Middleware
from msgspec import Struct, field

from server.api.authentication import PASS, Api, Authentication, Handler, Pass, key_of, opened
from server.api.describe.table import DOCUMENT
from server.api.routes import canonical, is_of_api, nowhere
from server.control.errors import DatabaseLocked
from server.http import envelope, request_id
from server.http.api_target import is_asked, is_versioned
from server.http.failure import Failure
from server.http.logged_request import GONE, Log, LoggedRequest, client_of, shown
from server.key_redaction import redacted
from server.process.faults import describe

_UNKNOWN_HOST = "this server does not answer to that host name: ask for `localhost`, or start it with --host"
Allowed = Callable[[web.Request], bool]
Visit = Callable[[web.Request], None]
CHUNKED = "chunked"

_HTTP = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE", 415: "UNSUPPORTED_MEDIA_TYPE"}


def uncounted(_: web.Request) -> None:
    """Visitors of a server that counts none."""


class Gate(Struct, frozen=True):
    """The keys that pass to each API: below an API's address its own keys count, anywhere else those of each.

    `allowed` says whether the server answers to the host that a request is sent to, and `unknown_host` what
    is told when it does not. `log` is told of every request, `tell` of faults of ours. `visit` counts
    a request that has shown no good key, and raises Failure when there were too many. `absent` says of the
    addresses of APIs that this server does not have why there is nothing.
    """

    apis: tuple[Api, ...]
    allowed: Allowed
    log: Log
    tell: Callable[[str], None]
    unknown_host: str = _UNKNOWN_HOST
    visit: Visit = uncounted
    absent: Mapping[str, Failure] = field(default_factory=dict)

    def of(self, request: web.Request) -> tuple[Api, ...]:
        """The APIs whose keys open what is asked for. The endpoint that answers decides, if there is one."""
        for path in (canonical(request), request.path):
            found = tuple(api for api in self.apis if api.has(path))
            if found:
                return found
        return self.apis

    def check_present(self, request: web.Request) -> None:
        """Raise Failure for what is below the address of an API that this server does not have."""
        for address, why in self.absent.items():
            if f"{request.path}/".startswith(f"{address}/"):
                raise Failure(why.code, why.message)

    def area(self, request: web.Request) -> str:
        """The name of the API that a request is for, `api` where there is none at its path."""
        paths = (canonical(request), request.path)
        return next((api.group.name for path in paths for api in self.apis if api.has(path)), "api")


class _Asked(Struct):
    """A request on its way."""

    id: str
    key: str = ""


Asks = Callable[[web.BaseRequest], bool]
_Answer = Callable[[web.Request, Handler, _Asked], Awaitable[web.StreamResponse]]


def api_guard(gate: Gate, asks: Asks = is_asked) -> Middleware:
    """Answers for the APIs: checks the key first, and gives every answer its one form.

    `asks` tells requests for an API from those for what else the application has.
    """
    elsewhere = nowhere(gate.apis)

    async def answer(request: web.Request, handler: Handler, asked: _Asked) -> web.StreamResponse:
        return await _answer(gate, request, handler if is_of_api(request) else elsewhere, asked)

    return _guarding(answer, gate.log, gate.area, asks)


def closed_guard(why: Failure, allowed: Allowed, log: Log, visit: Visit = uncounted) -> Middleware:
    """Answers for APIs beside pages that do not run; `why` is told to those who ask."""

    async def answer(request: web.Request, _: Handler, __: _Asked) -> web.StreamResponse:
        try:
            visit(request)
        except Failure as failure:
            return envelope.refusal(failure)
        return envelope.refusal(why if allowed(request) else Failure("UNKNOWN_HOST", _UNKNOWN_HOST))

    return _guarding(answer, log, lambda _: "api", is_versioned)


def _guarding(answer: _Answer, log: Log, area: Callable[[web.Request], str], asks: Asks) -> Middleware:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not asks(request):
            return await handler(request)
        started = time.perf_counter()
        asked, status = _Asked(request_id.fresh()), GONE
        request[request_id.REQUEST] = asked.id
        try:
            response = await answer(request, handler, asked)
            response.headers[request_id.HEADER] = asked.id
            status = response.status
        finally:
            log(
                LoggedRequest(
                    asked.id,
                    request.method,
                    shown(request.path_qs),
                    status,
                    time.perf_counter() - started,
                    asked.key,
                    area=area(request),
                    route=canonical(request),
                    client=client_of(request),
                )
            )
        return response

    return guard


async def _answer(gate: Gate, request: web.Request, handler: Handler, asked: _Asked) -> web.StreamResponse:
    try:
        counted = _let_in(gate, request, asked)
        with counted:
            return await handler(request)
    except Failure as failure:
        return envelope.refusal(failure)
    except web.HTTPException as error:
        return _of_http(error)
    except ConnectionError:
        raise
    except DatabaseLocked as error:
        return envelope.refusal(Failure("TOO_BUSY", error.message, {"Retry-After": "1"}))
    except Exception as error:  # noqa: BLE001 - the last resort: it is told, and the answer keeps its form
        asked_for = f"{request.method} {shown(request.path)}"
        gate.tell(f"Twinpress failed to answer {asked_for} ({asked.id}): {redacted(describe(error))}")
        return envelope.refusal(Failure("INTERNAL", f"Twinpress failed; the log says why at {asked.id}"))


def _let_in(gate: Gate, request: web.Request, asked: _Asked) -> AbstractContextManager[None]:
    """Raise Failure unless the request has a key that opens what it asks for; else give what counts it.

    Entering that raises Failure when the key asks for too much.
    """
    _check_form(request)
    known = _known(gate, request)
    if known is None:
        return nullcontext()
    text, authentication, record = known
    asked.key = authentication.named(record)
    request[authentication.place], request[PASS] = record, Pass(authentication, text)
    return authentication.request(record)


def _known(gate: Gate, request: web.Request) -> tuple[str, Authentication[Any], Any] | None:
    """The key, the authentication that knows it, and its record; None for the document, which needs no key.

    Raises Failure. Whoever has shown no good key is a visitor, and counted.
    """
    try:
        if not gate.allowed(request):
            raise Failure("UNKNOWN_HOST", gate.unknown_host)
        gate.check_present(request)
        if request.method != "GET" or canonical(request) != DOCUMENT:
            text = key_of(request)
            return text, *opened(gate.of(request), text)
    except Failure:
        gate.visit(request)
        raise
    gate.visit(request)
    return None


def _check_form(request: web.Request) -> None:
    """Raise Failure for what another reader of the same bytes could take for something else."""
    if request.version not in {HttpVersion10, HttpVersion11}:
        raise Failure("BAD_REQUEST", "speak HTTP/1.1", last=True)
    if request.headers.get(hdrs.TRANSFER_ENCODING, CHUNKED).strip().lower() != CHUNKED:
        raise Failure("BAD_REQUEST", "send the body as it is, or in chunks", last=True)


def _of_http(error: web.HTTPException) -> web.Response:
    """Answer a request that the framework refuses."""
    code = _HTTP.get(error.status, "BAD_REQUEST")
    headers = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
    return envelope.refusal(Failure(code, (error.text or error.reason).strip(), headers))
