"""What the errors of hosting are to a client of the API."""

from __future__ import annotations

from collections.abc import Mapping

from builder.errors import TwinpressError
from server.control.errors import DatabaseFull
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
from server.http.codes import SOON
from server.http.failure import Failure
from server.postgres.errors import EngineFull, EngineUnavailable

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
_FULL = "the database server has no room left on its disk; what was begun is finished when there is some"
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
