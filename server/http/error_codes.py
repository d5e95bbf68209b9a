"""Every code that an answer may have, with the status it is sent with, and what those of all APIs mean.

One table, so that a code means one status wherever it is sent. An API has those that it explains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STATUS: Mapping[str, int] = {
    "BAD_REQUEST": 400,
    "INVALID_JSON": 400,
    "INVALID_BODY": 400,
    "INVALID_PATH": 400,
    "INVALID_NAME": 400,
    "INVALID_QUERY": 400,
    "MISSING_KEY": 401,
    "BAD_KEY": 401,
    "KEY_EXPIRED": 401,
    "KEY_DISABLED": 401,
    "PAGE_LIMIT_REACHED": 403,
    "OWNER_ONLY": 403,
    "DASHBOARD_ONLY": 403,
    "DATABASE_LIMIT_REACHED": 403,
    "UNKNOWN_HOST": 403,
    "PAGE_NOT_FOUND": 404,
    "CHANGE_NOT_FOUND": 404,
    "SECTION_NOT_FOUND": 404,
    "DATABASE_NOT_FOUND": 404,
    "NOT_FOUND": 404,
    "SCREENSHOT_UNAVAILABLE": 404,
    "METHOD_NOT_ALLOWED": 405,
    "REQUEST_TIMEOUT": 408,
    "PATH_CONFLICT": 409,
    "NAME_TAKEN": 409,
    "DATABASE_BUSY": 409,
    "PASSWORD_OUT_OF_SYNC": 409,
    "IDEMPOTENCY_IN_PROGRESS": 409,
    "REVISION_MISMATCH": 412,
    "BODY_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "IDEMPOTENCY_KEY_REUSED": 422,
    "PREVIEW_FAILED": 422,
    "RATE_LIMITED": 429,
    "INTERNAL": 500,
    "TOO_BUSY": 503,
    "ENGINE_UNAVAILABLE": 503,
    "STORAGE_FULL": 507,
}
"""Their order is that of every list of codes."""

SOON = frozenset({"DATABASE_BUSY", "IDEMPOTENCY_IN_PROGRESS"})
"""What is over by itself: such an answer says with `Retry-After` when to ask again, as each 429 and 503."""

ALWAYS = (
    *("BAD_REQUEST", "INVALID_QUERY", "MISSING_KEY", "BAD_KEY", "KEY_DISABLED", "UNKNOWN_HOST"),
    *("METHOD_NOT_ALLOWED", "RATE_LIMITED", "INTERNAL", "TOO_BUSY"),
)
"""What can go wrong with any request to any API."""

OF_BODY = ("INVALID_JSON", "INVALID_BODY", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "REQUEST_TIMEOUT")
"""What can go wrong with any body."""

_MEANINGS: Mapping[str, str] = {
    "BAD_REQUEST": "The request is no HTTP that can be understood.",
    "INVALID_JSON": "The body is no strict JSON. The message has line and column.",
    "INVALID_BODY": "A field is missing, unknown or of the wrong type. The message begins with its name.",
    "INVALID_QUERY": "A parameter is missing, unknown, given twice or not possible.",
    "MISSING_KEY": "Send the header `Authorization: Bearer <KEY>`.",
    "UNKNOWN_HOST": "The server does not answer to the host name in the request.",
    "NOT_FOUND": "There is no such endpoint.",
    "METHOD_NOT_ALLOWED": "The path has other methods. `Allow` lists them.",
    "REQUEST_TIMEOUT": "The body took too long to arrive.",
    "UNSUPPORTED_MEDIA_TYPE": "Send JSON as it is, with `Content-Type: application/json`.",
    "RATE_LIMITED": "The key, or without a good one the client's address, has asked too often or for too "
    "much at a time. Wait as many seconds as `Retry-After` says.",
    "INTERNAL": "A fault of the server. Its log has more, at the id in `X-Request-Id`.",
}


def meanings(own: Mapping[str, str]) -> Mapping[str, str]:
    """All codes of one API, with what each means and what a client can do.

    `own` are those that other APIs do not have, or have with another meaning. Raises KeyError for a code that
    has no status.
    """
    told = {**_MEANINGS, **own}
    return {code: told[code] for code in ordered(told)}


def ordered(codes: Iterable[str]) -> list[str]:
    """Each of the codes once, in the order of `STATUS`. Raises KeyError for a code that has no status."""
    return sorted(set(codes), key=_PLACES.__getitem__)


_PLACES = {code: place for place, code in enumerate(STATUS)}
