"""The databases API as the document and the routes want it. Knows no HTTP server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.api.describe.table import Example, Group
from server.databases.database_endpoints import ENDPOINTS
from server.databases.database_structs import (
    CreateDatabase,
    DatabaseList,
    DatabaseRecord,
    RevealedDatabase,
    RotatePassword,
)
from server.http.error_codes import ALWAYS, meanings

MEANINGS = meanings({
    "INVALID_NAME": "This cannot be a database's name. The message has the rule.",
    "BAD_KEY": "This is no management key: it is unknown, rotated or deleted, or a key of another kind.",
    "KEY_DISABLED": "The key is disabled, or its account is suspended. The service's operator ends both.",
    "DASHBOARD_ONLY": "A management key may not do this: it needs the dashboard, or the service's operator.",
    "DATABASE_LIMIT_REACHED": "The account has as many databases as its plan allows.",
    "DATABASE_NOT_FOUND": "The account has no such database.",
    "NAME_TAKEN": "The account has a database of this name; upper and lower case do not differ.",
    "DATABASE_BUSY": "The database is being created, or the server takes long. Try again.",
    "PASSWORD_OUT_OF_SYNC": "The database's own user has changed the password, which is not known here. "
    "Rotate to set a new one.",
    "IDEMPOTENCY_IN_PROGRESS": "The first request with this `Idempotency-Key` is still being done. "
    "Send it again soon.",
    "IDEMPOTENCY_KEY_REUSED": "This `Idempotency-Key` was sent with another request before.",
    "BODY_TOO_LARGE": "The request is too large.",
    "TOO_BUSY": "Too many connections are open, or the service is busy, or the account's other requests take "
    "long. Wait as many seconds as `Retry-After` says.",
    "ENGINE_UNAVAILABLE": "The database server cannot be reached now. Wait as many seconds as "
    "`Retry-After` says: what was begun is finished when it is back.",
    "STORAGE_FULL": "There is no room left on the service's disk. "
    "The databases that are already in the list are finished when there is room.",
})  # fmt: skip
"""Every code of the API."""


ID = "db_k3ywq6hz2mnx4tva"
_FACTS: Mapping[str, Any] = {
    "id": ID,
    "name": "orders",
    "engine": "postgresql",
    "version": "18.3",
    "status": "active",
    "host": "db.harbour.example",
    "port": 5432,
    "database": ID,
    "user": ID,
    "sslmode": "require",
    "connection_limit": 10,
    "size_bytes": 7_811_072,
    "storage_limit_bytes": 536_870_912,
    "storage": "ok",
    "created_at": "2026-03-01T09:30:00+00:00",
    "updated_at": "2026-03-01T09:30:00+00:00",
    "password_rotated_at": None,
    "error": None,
}
_PASSWORD, _NEXT = "q8ZtN4vYb1RkX6mWc3PdS7hJ2LgF9sTe", "Vd5wQ0nKz7RtB2yXm9JcHs4LgE6pUf1A"
_ROTATED_AT = "2026-03-02T08:15:00+00:00"


def _with(password: str, **changed: str) -> RevealedDatabase:
    uri = f"postgresql://{ID}:{password}@db.harbour.example:5432/{ID}?sslmode=require"
    return RevealedDatabase(**{**_FACTS, **changed}, password=password, connection_uri=uri)


_REVEALED = _with(_PASSWORD)
_ROTATED = _with(_NEXT, updated_at=_ROTATED_AT, password_rotated_at=_ROTATED_AT)
_REFUSED = Example(None, status=403)
_KEY = Example(None, status=403, parameters={"key": "4nXbT0cVzQ9L"})

EXAMPLES: Mapping[str, Example] = {
    "databases": Example(DatabaseList([DatabaseRecord(**_FACTS)], None)),
    "create_database": Example(_REVEALED, status=201, body=CreateDatabase(name="orders")),
    "reveal_database": Example(_REVEALED, parameters={"id": ID}),
    "rotate_database": Example(_ROTATED, parameters={"id": ID}, body=RotatePassword(terminate_sessions=True)),
    "delete_database": Example(None, status=403, parameters={"id": ID}),
    "list_keys": _REFUSED,
    "create_key": _REFUSED,
    "delete_key": _KEY,
    "rotate_key": _KEY,
    "disable_key": _KEY,
    "enable_key": _KEY,
}


GROUP = Group(
    name="databases",
    base="/db",
    about="Creates databases, and reveals and rotates their passwords.",
    meaning="The databases of one account.",
    scheme="management_key",
    keys="A management key, `svc_db_`, for the databases of one account. The service's operator creates it.",
    endpoints=ENDPOINTS,
    always=ALWAYS,
    meanings=MEANINGS,
    examples=EXAMPLES,
)
