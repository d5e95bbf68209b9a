"""The authoring API as the document and the routes want it. Knows no HTTP server."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Group, Schema
from server.authoring.endpoints import ENDPOINTS
from server.authoring.examples import EXAMPLES
from server.authoring.meanings import MEANINGS
from server.authoring.structs import VALUE_SCHEMA
from server.http.error_codes import ALWAYS

_HEADERS: Mapping[str, Schema] = {
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
}

GROUP = Group(
    name="pages",
    base="/pages",
    about="Reads and writes the pages of a documentation site. Each key opens one site.",
    meaning="The pages of one site.",
    scheme="key",
    keys="A key for one site: `dpk_` for one-off editing, valid for an hour, or `svc_docs_` for scripts and "
    "CI.",
    endpoints=ENDPOINTS,
    always=(*ALWAYS, "KEY_EXPIRED"),
    meanings=MEANINGS,
    examples=EXAMPLES,
    headers=_HEADERS,
    schemas={"Value": VALUE_SCHEMA},
)
