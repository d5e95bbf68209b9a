"""Read and write the JSON that the dashboard's own scripts send and get."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from aiohttp import web

from server.api.request import read_json
from server.dashboard.bodies import whole_body
from server.dashboard.pages import HEADERS
from server.http.envelope import JSON
from server.http.failure import Failure
from server.http.limits import BodyLimits

LIMITS = BodyLimits(body_bytes=64 * 1024)
T = TypeVar("T", bound=msgspec.Struct)


async def json_body(request: web.Request, kind: type[T], limits: BodyLimits = LIMITS) -> T:
    """Return the body of a request. Raises Failure for one that no script of ours sends."""
    if request.content_type != JSON:
        raise Failure("UNSUPPORTED_MEDIA_TYPE", "this is no request of this page")
    return read_json(await whole_body(request, limits), kind)


def answer_json(data: bytes, status: int = 200) -> web.Response:
    """Answer a script."""
    return web.Response(body=data, content_type=JSON, status=status, headers=HEADERS)
