"""Read the body of a request, within bounds of size and time."""

from __future__ import annotations

import asyncio

from aiohttp import hdrs, web

from server.http.failure import Failure
from server.http.limits import BodyLimits

_SHORTER = " (text that is sent as UTF-8 is shorter than with `\\u` escapes)"


async def body_bytes(request: web.BaseRequest, limits: BodyLimits) -> bytes:
    """All of the request's body. Raises Failure when it is too large, too slow, or unlike its headers."""
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _bytes(request, limits.body_bytes)
    except TimeoutError:
        message = f"the body took longer than {limits.body_seconds:g} s"
        raise Failure("REQUEST_TIMEOUT", message, last=True) from None
    except web.RequestPayloadError:
        raise Failure("BAD_REQUEST", "the body is not what its headers say", last=True) from None


async def _bytes(request: web.BaseRequest, most: int) -> bytes:
    too_large = Failure("BODY_TOO_LARGE", f"a request's body may have {most:,} bytes{_SHORTER}", last=True)
    if request.content_length is not None and request.content_length > most:
        raise too_large
    if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
        await _continue(request)
    pieces, size = [], 0
    async for piece in request.content.iter_any():
        size += len(piece)
        if size > most:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


async def _continue(request: web.BaseRequest) -> None:
    """Tell the client to send the body now (RFC 9110, 10.1.1)."""
    transport = request.transport
    if transport is not None:
        transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
