"""Read the body of a request whole, and look again at who sends it: it may take half a minute to come."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web
from msgspec import Struct

from server.api.request import body_bytes
from server.http.limits import BodyLimits

STRANGERS = BodyLimits(body_bytes=32 * 1024)
"""Of requests without a session: thousands at a time must not fill the memory."""


class Sender(Struct, frozen=True):
    """The sender of a request: whether a session is `known`, and a check of what was checked at its begin.

    The check raises what is wrong by now.
    """

    known: bool
    check: Callable[[], None]


SENDER = web.RequestKey("sender", Sender)


async def whole_body(request: web.Request, limits: BodyLimits) -> bytes:
    """Return the body. Raises Failure, and what the check raises: a session may have ended meanwhile."""
    sender = request[SENDER]
    data = await body_bytes(request, limits if sender.known else STRANGERS)
    sender.check()
    return data
