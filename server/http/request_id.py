"""A name for each request, in its answer and in the log: `X-Request-Id`."""

from __future__ import annotations

import secrets
from itertools import count

from aiohttp import web

HEADER = "X-Request-Id"
REQUEST = web.RequestKey("id", str)
"""Where a request has its name."""

_RUN = secrets.token_hex(4)
_NUMBERS = count()


def fresh() -> str:
    """A name that no other request has: that of this run of the server, and a number."""
    return f"{_RUN}{next(_NUMBERS):06x}"
