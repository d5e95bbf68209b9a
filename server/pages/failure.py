"""Why a request is not done: an HTTP status, a code for programs and a message for people.

| HTTP | code |
|---|---|
| 400 | `BAD_REQUEST`, `INVALID_JSON`, `INVALID_BODY`, `INVALID_PATH`, `INVALID_QUERY` |
| 401 | `MISSING_KEY`, `BAD_KEY`, `KEY_EXPIRED`, `KEY_DISABLED` |
| 403 | `PAGE_LIMIT_REACHED`, `UNKNOWN_HOST` |
| 404 | `PAGE_NOT_FOUND`, `NOT_FOUND` |
| 405 413 415 429 | `METHOD_NOT_ALLOWED`, `BODY_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, `RATE_LIMITED` |
| 408 409 412 | `REQUEST_TIMEOUT`, `PATH_CONFLICT`, `REVISION_MISMATCH` |
| 500 503 507 | `INTERNAL`, `TOO_BUSY`, `STORAGE_FULL` |
"""

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

STATUS: Mapping[str, int] = {
    "BAD_REQUEST": 400,
    "INVALID_JSON": 400,
    "INVALID_BODY": 400,
    "INVALID_PATH": 400,
    "INVALID_QUERY": 400,
    "MISSING_KEY": 401,
    "BAD_KEY": 401,
    "KEY_EXPIRED": 401,
    "KEY_DISABLED": 401,
    "PAGE_LIMIT_REACHED": 403,
    "UNKNOWN_HOST": 403,
    "PAGE_NOT_FOUND": 404,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "REQUEST_TIMEOUT": 408,
    "PATH_CONFLICT": 409,
    "REVISION_MISMATCH": 412,
    "BODY_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "RATE_LIMITED": 429,
    "INTERNAL": 500,
    "TOO_BUSY": 503,
    "STORAGE_FULL": 507,
}
"""Every code of the API, with the status it is sent with."""

_CODES: Mapping[type[TwinpressError], str] = {
    InvalidPath: "INVALID_PATH",
    PageNotFound: "PAGE_NOT_FOUND",
    PageLimitReached: "PAGE_LIMIT_REACHED",
    PageTooLarge: "BODY_TOO_LARGE",
    PathConflict: "PATH_CONFLICT",
    RevisionMismatch: "REVISION_MISMATCH",
}
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class Failure(Exception):
    """A request that is answered with `{ok: false, error, code}`; `headers` go with the answer.

    It is the `last` one of its connection where the rest of the request is not to be read.
    """

    def __init__(
        self, code: str, message: str, headers: Mapping[str, str] | None = None, *, last: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers or {}
        self.last = last

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS[self.code]


def of_error(error: TwinpressError) -> Failure:
    """The failure that an error of the builder is."""
    if isinstance(error, StorageBusy):
        return Failure("TOO_BUSY", str(error), {"Retry-After": "1"})
    if isinstance(error, StorageError):
        cause = error.__cause__
        full = isinstance(cause, OSError) and cause.errno in _FULL
        return Failure("STORAGE_FULL" if full else "INTERNAL", str(error))
    return Failure(_CODES.get(type(error), "INTERNAL"), str(error))
