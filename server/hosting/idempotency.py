"""Requests of an account, each done once even when it is sent twice.

What is kept is which database a request was about and which of its generations answers it: the answer itself
would hold a password. It is written in one transaction with the change, so a crash leaves both or neither.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from server.control.audit import Action, Event
from server.control.sqlite.database import Transaction
from server.hosting.errors import IdempotencyKeyReused


class Once(Struct, frozen=True):
    """An `Idempotency-Key`, and a digest of all that the request says."""

    key: str
    fingerprint: str


def _always() -> None:
    """For who asks without a key."""


class Ask(Struct, frozen=True):
    """A request in the name of an account.

    `actor` is the id of the key that it came with, or what else has asked; `request` names it in the log.
    `check` raises when who asks may not any more. It is called within the transaction that writes what is
    asked for, and before a password is given.
    """

    account: str
    actor: str
    request: str = ""
    once: Once | None = None
    check: Callable[[], object] = _always

    def event(self, action: Action, id: str, now: int) -> Event:
        """Return the audit log's event for the database of this id."""
        return Event(now, self.account, self.actor, action, id, self.request)


class Intent(Struct, frozen=True):
    """The written intent: the database, and the generation from which on the server has it.

    It is `repeated` when the same request had written it before.
    """

    id: str
    generation: int
    repeated: bool = False


KEPT_SECONDS = 24 * 3600


def repeated(change: Transaction, ask: Ask, now: int) -> Intent | None:
    """Return what the first request with this key has written; None when this is the first.

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
