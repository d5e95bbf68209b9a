"""What each code of the API means, and what a client can do: for the document and for the reference."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "BAD_REQUEST": "The request is no HTTP that can be understood.",
    "INVALID_JSON": "The body is no strict JSON. The message has line and column.",
    "INVALID_BODY": "A field is missing, unknown or of the wrong type. The message begins with its name.",
    "INVALID_PATH": "This cannot be a path. The message has the rule that it breaks.",
    "INVALID_QUERY": "A parameter is missing, unknown, given twice or not possible.",
    "MISSING_KEY": "Send the header `Authorization: Bearer <KEY>`.",
    "BAD_KEY": "This is no key of this site: it is unknown, deleted, or of another site.",
    "KEY_EXPIRED": "One-off keys live for an hour. Ask the owner for a new one.",
    "KEY_DISABLED": "The owner has disabled the key, and can enable it again.",
    "PAGE_LIMIT_REACHED": "The site has as many pages as it may have.",
    "UNKNOWN_HOST": "The server does not answer to the host name in the request.",
    "PAGE_NOT_FOUND": "There is no page at this path.",
    "NOT_FOUND": "There is no such endpoint.",
    "METHOD_NOT_ALLOWED": "The path has other methods. `Allow` lists them.",
    "REQUEST_TIMEOUT": "The body took too long to arrive.",
    "PATH_CONFLICT": "Something else stands where the page would be, such as a page with another case.",
    "REVISION_MISMATCH": "The page is not as the condition wants it. Read it again, and decide again.",
    "BODY_TOO_LARGE": "The request, or the page, is too large. Such a page can be replaced or removed.",
    "UNSUPPORTED_MEDIA_TYPE": "Send JSON as it is, with `Content-Type: application/json`.",
    "RATE_LIMITED": "The key has asked too often. Wait as many seconds as `Retry-After` says.",
    "INTERNAL": "A fault of the server. Its log has more, at the id in `X-Request-Id`.",
    "TOO_BUSY": "Too many connections are open, or somebody else keeps writing to the site. "
    "Wait as many seconds as `Retry-After` says.",
    "STORAGE_FULL": "There is no room left on the disk. The page is as it was.",
}
"""Every code of `failure.STATUS`."""
