"""Read the body of a request whole, and look again at who sends it: it may take half a minute to come."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from server.api.request import body_bytes
from server.http.limits import BodyLimits

AGAIN: web.RequestKey[Callable[[], None]] = web.RequestKey("again")
"""Checks once more what was checked when the request began; raises what is wrong by now."""


async def whole_body(request: web.Request, limits: BodyLimits) -> bytes:
    """Return the body. Raises Failure, and what the check raises: a session may have ended meanwhile."""
    data = await body_bytes(request, limits)
    request[AGAIN]()
    return data
