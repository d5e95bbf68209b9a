"""The headers of the answers, as the document describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.pages.endpoints import Endpoint

Json = dict[str, Any]

HEADERS: Mapping[str, Json] = {
    "X-Request-Id": {
        "description": "Names the request; the server's log has it too.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Cache-Control": {
        "description": "No answer may be kept.",
        "required": True,
        "schema": {"const": "no-store"},
    },
    "ETag": {
        "description": "The page's revision, for `If-Match`, when a page was read or written.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[^"]+"$'},
    },
    "Vary": {
        "description": "The guide's form depends on what is accepted.",
        "required": True,
        "schema": {"const": "Accept"},
    },
    "Allow": {
        "description": "The methods that the path has.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds to wait before the next request.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "How to send the key.",
        "required": True,
        "schema": {"const": "Bearer"},
    },
}
"""Every header that the document describes; each is there in all answers that it is listed for."""

_OF_STATUS = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}


def headers(endpoint: Endpoint, status: int) -> Json:
    """The headers of an answer with this status, as references."""
    names = ["X-Request-Id", "Cache-Control"]
    if status in _OF_STATUS:
        names.append(_OF_STATUS[status])
    if status in endpoint.successes and endpoint.revision:
        names.append("ETag")
    if status in endpoint.successes and endpoint.also:
        names.append("Vary")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
