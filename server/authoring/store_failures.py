"""Failures that errors of the store are: the code that an answer has for each."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from builder.errors import (
    InvalidPath,
    PageLimitReached,
    PageNotFound,
    PageTooLarge,
    PathConflict,
    RevisionMismatch,
    StorageBusy,
    StorageError,
    TwinpressError,
)
from server.control.errors import DatabaseLocked
from server.http.failure import Failure

_CODES: Mapping[type[TwinpressError], str] = {
    InvalidPath: "INVALID_PATH",
    PageNotFound: "PAGE_NOT_FOUND",
    PageLimitReached: "PAGE_LIMIT_REACHED",
    PageTooLarge: "BODY_TOO_LARGE",
    PathConflict: "PATH_CONFLICT",
    RevisionMismatch: "REVISION_MISMATCH",
}
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def failure_of(error: TwinpressError) -> Failure:
    """The failure that an error of the store is."""
    if isinstance(error, StorageBusy | DatabaseLocked):
        return Failure("TOO_BUSY", str(error), {"Retry-After": "1"})
    if isinstance(error, StorageError):
        cause = error.__cause__
        full = isinstance(cause, OSError) and cause.errno in _FULL
        return Failure("STORAGE_FULL" if full else "INTERNAL", str(error))
    return Failure(_CODES.get(type(error), "INTERNAL"), str(error))
