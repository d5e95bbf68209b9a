"""Who asks for a change, and as which request."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from server.control.audit import Action, Event


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
        """What was done with the database of this id, for the audit log."""
        return Event(now, self.account, self.actor, action, id, self.request)


class Intent(Struct, frozen=True):
    """What was written down: the database, and the generation from which on the server has it.

    It is `repeated` when the same request had written it before.
    """

    id: str
    generation: int
    repeated: bool = False
