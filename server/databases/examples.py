"""One example of each endpoint, for the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.api.describe.table import Example
from server.databases.database_structs import (
    CreateDatabase,
    DatabaseList,
    DatabaseRecord,
    RevealedDatabase,
    RotatePassword,
)

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
