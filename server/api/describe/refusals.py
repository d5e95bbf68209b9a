"""The answers that say why something was not done, as the document describes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from server.api.describe.response_headers import headers
from server.api.describe.table import Endpoint, Group
from server.http.error_codes import STATUS, ordered

Json = dict[str, Any]


def failure(groups: Iterable[Group]) -> Json:
    """What a failure is, with any code of these groups."""
    codes = ordered(code for group in groups for code in group.meanings)
    return {
        "title": "Failure",
        "description": "Why a request was not done.",
        "type": "object",
        "properties": {
            "ok": {"const": False},
            "error": {"type": "string", "description": "What is wrong, in words, with the place."},
            "code": {"enum": codes, "description": "What is wrong, for programs."},
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
