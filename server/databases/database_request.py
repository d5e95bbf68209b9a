"""Read a request's query and its `Idempotency-Key`."""

from __future__ import annotations

import hashlib
import re

import msgspec
from aiohttp import web

from server.api import request as reading
from server.databases import cursors
from server.databases.database_endpoints import MOST, ONCE
from server.hosting.idempotency import Once
from server.http.failure import Failure

_ONCE_FORM = re.compile(str(ONCE.schema["pattern"]))


def page(request: web.Request) -> tuple[int, int]:
    """How many databases are wanted, and behind which number. Raises Failure."""
    query = reading.query(request, "limit", "cursor")
    text = query.get("limit", str(MOST))
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MOST):
        raise Failure("INVALID_QUERY", f"limit: expected a whole number from 1 to {MOST}")
    return int(text), cursors.decode(query["cursor"]) if "cursor" in query else 0


def once(request: web.Request, body: msgspec.Struct) -> Once | None:
    """The `Idempotency-Key`, with a digest of the request. Raises Failure."""
    given = request.headers.getall(ONCE.name, [])
    if not given:
        return None
    if len(given) > 1 or not _ONCE_FORM.fullmatch(given[0]):
        raise Failure("BAD_REQUEST", f"{ONCE.name}: expected one text of 1 to 255 visible ASCII characters")
    said = msgspec.json.encode([request.method, request.path, body])
    return Once(given[0], hashlib.sha256(said).hexdigest())
