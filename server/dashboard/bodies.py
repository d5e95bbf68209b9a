"""Read the body of a request whole, and look again at who sends it: it may take half a minute to come."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from server.api.request import body_bytes
from server.http.limits import BodyLimits

AGAIN = web.RequestKey("again", Callable[[], None])
"""Checks once more what was checked when the request began; raises what is wrong by now."""

KNOWN = web.RequestKey("known", bool)
"""True when the request has a session."""
STRANGERS = BodyLimits(body_bytes=32 * 1024)
"""Of requests without a session: thousands at a time must not fill the memory."""


async def whole_body(request: web.Request, limits: BodyLimits) -> bytes:
    """Return the body. Raises Failure, and what the check raises: a session may have ended meanwhile."""
    data = await body_bytes(request, limits if request[KNOWN] else STRANGERS)
    request[AGAIN]()
    return data
