"""The answers that say why something was not done, as the document describes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from server.pages.endpoints import COMMON, Endpoint
from server.pages.failure import STATUS
from server.pages.meanings import MEANINGS
from server.pages.response_headers import headers

Json = dict[str, Any]

FAILURE: Json = {
    "title": "Failure",
    "description": "Why a request was not done.",
    "type": "object",
    "properties": {
        "ok": {"const": False},
        "error": {"type": "string", "description": "What is wrong, in words, with the place."},
        "code": {"enum": list(STATUS), "description": "What is wrong, for programs."},
    },
    "required": ["ok", "error", "code"],
    "additionalProperties": False,
}


def refusals(endpoint: Endpoint) -> Iterator[tuple[int, Json]]:
    """Each bad status that the endpoint may answer with, and its description."""
    codes = {code: STATUS[code] for code in STATUS if code in COMMON or code in endpoint.codes}
    for status in sorted(set(codes.values())):
        yield status, _refusal(endpoint, status, [code for code, its in codes.items() if its == status])


def _refusal(endpoint: Endpoint, status: int, codes: list[str]) -> Json:
    narrowed = {"properties": {"code": {"enum": codes}}}
    return {
        "description": "\n".join(f"- `{code}`: {MEANINGS[code]}" for code in codes),
        "headers": headers(endpoint, status),
        "content": {
            "application/json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Failure"}, narrowed]}}
        },
    }
