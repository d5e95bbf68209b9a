"""Answer bytes that are no request.

The framework would answer in plain text, with a part of what was sent. Here the answer has the form of the
API, whatever it was meant for, and repeats nothing: there may be a key in it.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.http_exceptions import InvalidURLError, LineTooLong

from server.http import envelope, request_id
from server.http.answers import HEADERS
from server.http.failure import Failure

LINE_BYTES = 8190
"""For the first line of a request, and for each header."""


def answer(failure: Failure) -> web.Response:
    """The last answer of a connection."""
    response = envelope.refusal(failure)
    response.headers.update(HEADERS)
    response.headers[request_id.HEADER] = request_id.fresh()
    response.force_close()
    return response


def plain(response: web.Response) -> bytes:
    """The same, as the bytes to send where there is no request to answer."""
    body = bytes(response.body) if isinstance(response.body, bytes) else b""
    lines = [f"HTTP/1.1 {response.status} {response.reason}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def unreadable(error: HttpProcessingError) -> Failure:
    """Return the failure for a request that the parser did not understand."""
    return Failure("BAD_REQUEST", f"this is no HTTP request that can be read: {_reason(error)}")


def _reason(error: HttpProcessingError) -> str:
    if isinstance(error, LineTooLong):
        return f"its first line, or one of its headers, has more than {LINE_BYTES:,} bytes"
    if isinstance(error, InvalidURLError):
        return "its address must begin with `/`, and all but plain signs in it be percent-encoded"
    return error.message.partition("\n")[0].partition(":")[0].strip(" .")
