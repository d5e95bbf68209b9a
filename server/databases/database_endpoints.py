"""The endpoints of the databases API as one table. Knows no HTTP server."""

from __future__ import annotations

from server.api.describe.table import Endpoint, Parameter
from server.databases.database_structs import CreateDatabase, DatabaseList, RevealedDatabase, RotatePassword
from server.http.error_codes import OF_BODY

MOST = 200
"""Databases in one answer."""

_ID = Parameter(
    "id", "path", "The database's id.", {"type": "string", "pattern": "^db_[a-z2-7]{16}$"}, required=True
)
_KEY_ID = Parameter("key", "path", "The key's id.", {"type": "string"}, required=True)
_LIMIT = Parameter(
    "limit",
    "query",
    "How many databases one answer may have.",
    {"type": "integer", "minimum": 1, "maximum": MOST, "default": MOST},
)
_CURSOR = Parameter(
    "cursor",
    "query",
    "The `next_cursor` of the answer before, for the next page.",
    {"type": "string", "format": "cursor"},
)
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    "header",
    "A text of 1 to 255 visible ASCII characters that no other request has. A request that is sent again "
    "with it within 24 hours changes nothing: it is answered with the database as it is now.",
    {"type": "string", "pattern": "^[!-~]{1,255}$"},
)

_IDEMPOTENCY_CODES = ("IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED")
_SECRET = ("DATABASE_BUSY", "ENGINE_UNAVAILABLE", "STORAGE_FULL")
_SAME = {"id": "$response.body#/data/id"}
"""How to go on with the database that was answered."""


def _dashboard(operation: str, method: str, path: str, summary: str, *parameters: Parameter) -> Endpoint:
    """Describe an endpoint that no key may use: the answer says where to go instead."""
    return Endpoint(
        operation,
        method,  # type: ignore[arg-type]
        path,
        summary,
        "Not for a management key: this needs the dashboard, or the service's operator, who has "
        "`twinpress admin`. The answer is always a refusal.",
        None,
        ("DASHBOARD_ONLY",),
        parameters,
        successes={},
    )


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "databases",
        "GET",
        "/databases",
        "List databases",
        "The databases of the account, from old to new, without their passwords.",
        DatabaseList,
        ("ENGINE_UNAVAILABLE",),
        (_LIMIT, _CURSOR),
        successes={200: "One page of the list."},
    ),
    Endpoint(
        "create_database",
        "POST",
        "/databases",
        "Create a database",
        "Creates a database with a user of its own. Its password works as soon as the answer arrives.",
        RevealedDatabase,
        (
            *OF_BODY,
            *_IDEMPOTENCY_CODES,
            *_SECRET,
            "INVALID_NAME",
            "NAME_TAKEN",
            "DATABASE_LIMIT_REACHED",
            "DATABASE_NOT_FOUND",
            "PASSWORD_OUT_OF_SYNC",
        ),
        (IDEMPOTENCY_KEY,),
        CreateDatabase,
        body_required=False,
        successes={201: "The database, with its password."},
        links={"reveal_database": _SAME, "rotate_database": _SAME},
    ),
    Endpoint(
        "reveal_database",
        "GET",
        "/databases/{id}",
        "Reveal a password",
        "One database with the password that works now. Each reveal is kept in the account's audit log.",
        RevealedDatabase,
        (*_SECRET, "DATABASE_NOT_FOUND", "PASSWORD_OUT_OF_SYNC"),
        (_ID,),
        successes={200: "The database, with its password."},
    ),
    Endpoint(
        "rotate_database",
        "POST",
        "/databases/{id}/rotate",
        "Rotate a password",
        "Gives the database a new password; the old one is refused at once. Open sessions go on, unless "
        "`terminate_sessions` is true.",
        RevealedDatabase,
        (*OF_BODY, *_IDEMPOTENCY_CODES, *_SECRET, "DATABASE_NOT_FOUND", "PASSWORD_OUT_OF_SYNC"),
        (_ID, IDEMPOTENCY_KEY),
        RotatePassword,
        body_required=False,
        successes={200: "The database, with its new password."},
    ),
    _dashboard("delete_database", "DELETE", "/databases/{id}", "Delete a database", _ID),
    _dashboard("list_keys", "GET", "/keys", "List keys"),
    _dashboard("create_key", "POST", "/keys", "Create a key"),
    _dashboard("delete_key", "DELETE", "/keys/{key}", "Delete a key", _KEY_ID),
    _dashboard("rotate_key", "POST", "/keys/{key}/rotate", "Rotate a key", _KEY_ID),
    _dashboard("disable_key", "POST", "/keys/{key}/disable", "Disable a key", _KEY_ID),
    _dashboard("enable_key", "POST", "/keys/{key}/enable", "Enable a key", _KEY_ID),
)
