"""Answers of the databases API: records of databases, and failures in place of errors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote

import msgspec

from builder.errors import TwinpressError
from server.control.errors import DatabaseFull
from server.control.plans import Plans
from server.databases.database_structs import DatabaseRecord, RevealedDatabase
from server.hosting.errors import (
    AccountSuspended,
    DatabaseBusy,
    DatabaseLimitReached,
    DatabaseNotFound,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InvalidName,
    NameTaken,
    PasswordOutOfSync,
)
from server.hosting.hosted import LOST, Hosted
from server.hosting.hosting_service import Revealed
from server.hosting.storage import storage
from server.http.error_codes import SOON
from server.http.failure import Failure
from server.postgres.errors import EngineFull, EngineUnavailable
from server.postgres.server import DatabaseServer


def record(row: Hosted, server: DatabaseServer, plans: Plans) -> DatabaseRecord:
    """The database as its owner may see it; the server is where tenants connect to."""
    limits = row.limits(plans)
    status = row.status
    return DatabaseRecord(
        id=row.id,
        name=row.name,
        engine="postgresql",
        version=version(server.version),
        status=status,
        host=server.public_host,
        port=server.public_port,
        database=row.id,
        user=row.id,
        sslmode=server.public_sslmode,
        connection_limit=limits.connections,
        size_bytes=row.size_bytes,
        storage_limit_bytes=limits.storage_bytes,
        storage=storage(row, plans),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        password_rotated_at=None if row.password_rotated_at is None else moment(row.password_rotated_at),
        error=_error(row) if status == "error" else None,
    )


def revealed(found: Revealed, server: DatabaseServer, plans: Plans) -> RevealedDatabase:
    """The same, with the password."""
    made = record(found.row, server, plans)
    return RevealedDatabase(
        **msgspec.structs.asdict(made), password=found.password, connection_uri=uri(made, found.password)
    )


def _error(row: Hosted) -> str:
    """In words for its owner; what the server said is for whoever runs the service."""
    if row.lost:
        return f"it is missing on the server: {LOST}"
    if row.shut_until is not None and row.shut_why == "session":
        return (
            "a statement that PostgreSQL cannot interrupt was ended by force; "
            f"nobody can log in until {moment(row.shut_until)}"
        )
    if row.shut_until is not None and row.shut_why == "settings":
        return (
            "settings that were given to its user, with ALTER ROLE, filled the disk of all; "
            f"nobody can log in until {moment(row.shut_until)}"
        )
    if row.shut_until is not None:
        return (
            f"it has grown far beyond its storage; nobody can log in until {moment(row.shut_until)}, "
            "and then it has to become smaller"
        )
    return "the server refuses a change; it is tried again"


def uri(made: DatabaseRecord, password: str) -> str:
    """The connection URI that libpq and its like take (PostgreSQL documentation, 32.1.1.2)."""
    host = f"[{made.host}]" if ":" in made.host else made.host
    secret = quote(password, safe="")
    return f"postgresql://{made.user}:{secret}@{host}:{made.port}/{made.database}?sslmode={made.sslmode}"


def version(number: int) -> str:
    """`server_version_num` as people write it: 180003 is 18.3."""
    return f"{number // 10000}.{number % 10000}"


def moment(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


_CODES: Mapping[type[TwinpressError], str] = {
    InvalidName: "INVALID_NAME",
    NameTaken: "NAME_TAKEN",
    DatabaseLimitReached: "DATABASE_LIMIT_REACHED",
    DatabaseNotFound: "DATABASE_NOT_FOUND",
    DatabaseBusy: "DATABASE_BUSY",
    PasswordOutOfSync: "PASSWORD_OUT_OF_SYNC",
    AccountSuspended: "KEY_DISABLED",
    IdempotencyInProgress: "IDEMPOTENCY_IN_PROGRESS",
    IdempotencyKeyReused: "IDEMPOTENCY_KEY_REUSED",
    DatabaseFull: "STORAGE_FULL",
}
_CROWDED = "other requests of the account wait for the database server; this one was not begun: send it again"
_WAIT = {"Retry-After": "1"}
_FULL = "the database server has no room left on its disk; work that has begun is finished when there is some"
_AWAY = "the database server cannot be reached now; what was begun is finished when it is back"


def of_error(error: TwinpressError) -> Failure | None:
    """The failure that an error is; None for one that is a fault of ours, or of the server's operator."""
    if isinstance(error, EngineUnavailable):
        return away()
    if isinstance(error, EngineFull):
        return Failure("STORAGE_FULL", _FULL)
    code = _CODES.get(type(error))
    if code is None:
        return None
    said = f"{error.message} ({error.hint})" if error.hint else error.message
    return Failure(code, said, _WAIT if code in SOON else None)


def crowded() -> Failure:
    """The account has had its share of the threads in use for too long."""
    return Failure("TOO_BUSY", _CROWDED, _WAIT)


def away() -> Failure:
    """The database server does not answer."""
    return Failure("ENGINE_UNAVAILABLE", _AWAY, _WAIT)
