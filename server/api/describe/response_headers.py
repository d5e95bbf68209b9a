"""The headers of the answers, as the document describes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from server.api.describe.table import Endpoint, Group
from server.http.error_codes import SOON, ordered

Json = dict[str, Any]

_OF_ALL: Mapping[str, Json] = {
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
}
_OF_REFUSALS: Mapping[str, Json] = {
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
_SOMETIMES = "Retry-After-Sometimes"
_OF_SOME: Mapping[str, Json] = {
    _SOMETIMES: {
        "description": f"With {' and '.join(f'`{code}`' for code in ordered(SOON))}: "
        "seconds to wait before the next request.",
        "schema": {"type": "integer", "minimum": 1},
    },
}
_OF_STATUS = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}


def described(groups: Iterable[Group]) -> Json:
    """Every header that the document describes; a required one is there in all answers that list it."""
    known = list(groups)
    own = {name: dict(header) for group in known for name, header in group.headers.items()}
    some = _OF_SOME if any(SOON & group.meanings.keys() for group in known) else {}
    return {**_OF_ALL, **own, **_OF_REFUSALS, **some}


def headers(endpoint: Endpoint, status: int, codes: Iterable[str] = ()) -> Json:
    """The headers of an answer with this status, and one of these codes, as references."""
    names = list(_OF_ALL)
    if status in _OF_STATUS:
        names.append(_OF_STATUS[status])
    if status in endpoint.successes:
        names += endpoint.headers
    found = {name: name for name in names}
    if SOON & set(codes):
        found["Retry-After"] = _SOMETIMES
    return {name: {"$ref": f"#/components/headers/{described}"} for name, described in found.items()}
