"""The one form of every answer: `{ok: true, data}` or `{ok: false, error, code}`."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from aiohttp import web

from server.http.failure import Failure

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
JSON = "application/json"

_HALF = 500
"""Characters of the beginning and of the end of a long message that are told."""
ENCODER = msgspec.json.Encoder()


def success(data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Answer with the data that was asked for."""
    return answer(encoded(data), status, headers)


def encoded(data: object) -> bytes:
    """The body of a success."""
    return ENCODER.encode({"ok": True, "data": data})


def answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A body that was encoded before."""
    return web.Response(body=body, status=status, content_type=JSON, headers={**HEADERS, **(headers or {})})


def refused(failure: Failure) -> bytes:
    """The body of a failure. Bytes of a request that are no UTF-8 may be quoted in it."""
    message = _shortened(failure.message).encode(errors="replace").decode()
    return ENCODER.encode({"ok": False, "error": message, "code": failure.code})


def _shortened(message: str) -> str:
    """Shorten a message: it may quote a very long request; the fault stands at the end."""
    return message if len(message) <= 2 * _HALF else f"{message[:_HALF]} ... {message[-_HALF:]}"


def refusal(failure: Failure) -> web.Response:
    """Answer with the reason of a failure."""
    headers = {**HEADERS, **failure.headers}
    if failure.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    body = refused(failure)
    response = web.Response(body=body, status=failure.status, content_type=JSON, headers=headers)
    if failure.last:
        response.force_close()
    return response
