"""The answers of endpoints, good and bad, with their headers, as the document describes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from server.api.describe.table import Endpoint, Example, Group
from server.http.error_codes import SOON, STATUS, ordered

Json = dict[str, Any]

JSON = "application/json"
SCHEMAS = "#/components/schemas/"
NOT_MODIFIED = 304
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


def success(endpoint: Endpoint, status: int, example: Example) -> Json:
    """The answer with this good status."""
    made: Json = {"description": endpoint.successes[status], "headers": headers(endpoint, status)}
    if status == NOT_MODIFIED or endpoint.result is None:
        return made
    told: Json = {"schema": _enveloped(endpoint.result)}
    if status == example.status:
        told["example"] = {"ok": True, "data": msgspec.to_builtins(example.result)}
    made["content"] = {
        JSON: told,
        **({endpoint.also: _bare(endpoint.also)} if endpoint.also else {}),
    }
    if endpoint.links:
        made["links"] = {
            name: {"operationId": name, "parameters": dict(found)} for name, found in endpoint.links.items()
        }
    return made


def _bare(media: str) -> Json:
    """The answer without an envelope: a text, or bytes, of which a schema says nothing."""
    return {"schema": {"type": "string"}} if media.startswith("text/") else {}


def _enveloped(struct: type[msgspec.Struct]) -> Json:
    return {
        "type": "object",
        "properties": {"ok": {"const": True}, "data": ref(struct)},
        "required": ["ok", "data"],
        "additionalProperties": False,
    }


def ref(struct: type[msgspec.Struct]) -> Json:
    """A reference to the schema of a struct."""
    return {"$ref": SCHEMAS + struct.__name__}


def failure(groups: Iterable[Group]) -> Json:
    """Return the schema of a failure, with any code of these groups."""
    codes = ordered(code for group in groups for code in group.meanings)
    return {
        "title": "Failure",
        "description": "Why a request was not done.",
        "type": "object",
        "properties": {
            "ok": {"const": False},
            "error": {"type": "string", "description": "The problem in words, with its place."},
            "code": {"enum": codes, "description": "The problem as a code, for programs."},
        },
        "required": ["ok", "error", "code"],
        "additionalProperties": False,
    }


def refusals(group: Group, endpoint: Endpoint) -> Iterator[tuple[int, Json]]:
    """Each bad status that the endpoint may answer with, and its description."""
    codes = group.codes(endpoint)
    for status in sorted({STATUS[code] for code in codes}):
        told = {code: meaning for code, meaning in codes.items() if STATUS[code] == status}
        yield status, _refusal(endpoint, status, told)


def _refusal(endpoint: Endpoint, status: int, told: Mapping[str, str]) -> Json:
    narrowed = {"properties": {"code": {"enum": list(told)}}}
    return {
        "description": "\n".join(f"- `{code}`: {meaning}" for code, meaning in told.items()),
        "headers": headers(endpoint, status, told),
        "content": {
            "application/json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Failure"}, narrowed]}}
        },
    }
