"""Tell requests for an API from others, by their target."""

from __future__ import annotations

import re
from urllib.parse import unquote

from aiohttp import web

PREFIX = "/api/"
VERSIONS = "/api/{version:v[0-9.]+}/"
"""The routes of an API beside pages: many sites have a folder `api`, which is theirs."""
_VERSIONED = re.compile(r"/api/v[0-9.]+(?=[/?]|$)")


def is_asked(request: web.BaseRequest) -> bool:
    """Return whether the target is below `/api`, as it was sent or as somebody may understand it."""
    return f"{unquote(request.path)}/".startswith(PREFIX) or request.raw_path.startswith(PREFIX)


def is_versioned(request: web.BaseRequest) -> bool:
    """Return whether the target is below `/api/v1` or a like, where the rest of `/api` is for pages."""
    return any(_VERSIONED.match(target) for target in (unquote(request.path), request.raw_path))
