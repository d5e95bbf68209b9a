"""Tell requests for an API from others, by their target."""

from __future__ import annotations

from urllib.parse import unquote

from aiohttp import web

PREFIX = "/api/"


def is_asked(request: web.BaseRequest) -> bool:
    """Return whether the target is below `/api`, as it was sent or as somebody may understand it."""
    return f"{unquote(request.path)}/".startswith(PREFIX) or request.raw_path.startswith(PREFIX)
