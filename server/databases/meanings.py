"""What each code of the API means, and what a client can do: for the document and for the reference."""

from __future__ import annotations

from server.http.codes import meanings

MEANINGS = meanings({
    "INVALID_NAME": "This cannot be a database's name. The message has the rule.",
    "BAD_KEY": "This is no management key: it is unknown, rotated or deleted, or a key of another kind.",
    "KEY_DISABLED": "The key is disabled, or its account is suspended. The service's operator ends both.",
    "DASHBOARD_ONLY": "A management key may not do this: it needs the dashboard, or the service's operator.",
    "DATABASE_LIMIT_REACHED": "The account has as many databases as its plan allows.",
    "DATABASE_NOT_FOUND": "The account has no such database.",
    "NAME_TAKEN": "The account has a database of this name; case makes no difference.",
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
    "What is in the list by now is finished when there is room.",
})  # fmt: skip
"""Every code of the API."""
