"""Requests that are sent twice are done once.

What is kept is which database a request was about and which of its generations answers it: the answer itself
would hold a password. It is written in one transaction with the change, so a crash leaves both or neither.
"""

from __future__ import annotations

from server.control.sqlite.database import Transaction
from server.hosting.errors import IdempotencyKeyReused
from server.hosting.request import Ask, Intent

KEPT_SECONDS = 24 * 3600


def repeated(change: Transaction, ask: Ask, now: int) -> Intent | None:
    """What the first request with this key has written; None when this is the first.

    Raises IdempotencyKeyReused when the first one said something else.
    """
    if ask.once is None:
        return None
    change.write("DELETE FROM idempotency WHERE created_at < ?", (now - KEPT_SECONDS,))
    rows = change.read(
        "SELECT fingerprint, subject, generation FROM idempotency WHERE account = ? AND key = ?",
        (ask.account, ask.once.key),
    )
    if not rows:
        return None
    fingerprint, subject, generation = rows[0]
    if fingerprint != ask.once.fingerprint:
        raise IdempotencyKeyReused(
            "this `Idempotency-Key` was sent with another request before",
            hint="take a new one for each request, and the same one only to send a request again",
        )
    return Intent(str(subject), int(generation or 0), repeated=True)


def note(change: Transaction, ask: Ask, intent: Intent, now: int) -> None:
    """Keep what the request has written."""
    if ask.once is not None:
        change.write(
            "INSERT INTO idempotency (account, key, fingerprint, subject, generation, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (ask.account, ask.once.key, ask.once.fingerprint, intent.id, intent.generation, now),
        )
