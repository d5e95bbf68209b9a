"""Hosted databases for an account: list, create, reveal, rotate, delete."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from server.control import audit
from server.control.sealing import Keyring, password_of
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.apply import Applier
from server.hosting.errors import DatabaseBusy, IdempotencyInProgress, PasswordOutOfSync
from server.hosting.hosted import Hosted
from server.hosting.idempotency import Ask, Intent
from server.hosting.intents import Intents, lost, not_found, present, suspended
from server.hosting.leader import Leader
from server.postgres.tenants.provisioning import Provisioner

PATIENCE = 15.0
"""Seconds that a request waits for the server to obey."""
_PAUSE = 0.004


class Revealed(Struct, frozen=True):
    """A database with its password, which the server knows at this moment."""

    row: Hosted
    password: str

    def __repr__(self) -> str:
        """Without the password, as this may get into a log."""
        return f"Revealed({self.row.id!r})"


class Databases:
    """The databases of accounts, for the API. Everything here may be called in any thread.

    All raise DatabaseError and EngineUnavailable when the service's own database, or the server, cannot be
    used, and what `server/hosting/errors.py` lists.
    """

    def __init__(self, applier: Applier, leader: Leader) -> None:
        self._leader = leader
        self._control: ControlDatabase = applier.control
        self._keyring: Keyring = applier.keyring
        self._provisioner: Provisioner = applier.provisioner
        self._clock: Callable[[], float] = applier.clock
        self._intents = Intents(self._control, self._keyring, applier.plans, self._clock)

    def is_well(self) -> bool:
        """Return whether the server can be reached, as was seen a moment ago; asks nobody."""
        return self._leader.is_well()

    def leads(self) -> bool:
        """Return whether it is this process that changes the server."""
        return self._leader.leads()

    def list(self, account: str, limit: int, behind: int = 0) -> Sequence[Hosted]:
        """At most `limit` databases of an account, from old to new, behind the one with this number."""
        return hosted.of_account(self._control, account, limit, behind)

    def connections(self, id: str) -> int:
        """Count the connections to one database."""
        return len(self._provisioner.sessions([id]))

    def create(self, ask: Ask, name: str | None = None) -> Revealed:
        """Make a database; its password works when this returns."""
        self._provisioner.check()
        return self._reveal_after(ask, self._intents.create(ask, name))

    def rotate(self, ask: Ask, id: str, *, end_sessions: bool = False) -> Revealed:
        """Give it a new password; the old one is refused from the moment that this returns."""
        self._provisioner.check()
        return self._reveal_after(ask, self._intents.rotate(ask, id, end_sessions=end_sessions))

    def delete(self, ask: Ask, id: str) -> None:
        """Remove it for good. Its name is free at once, the server drops it in the background."""
        self._intents.delete(ask, id)

    def reveal(self, ask: Ask, id: str) -> Revealed:
        """Its current password. Raises DatabaseNotFound, DatabaseBusy and PasswordOutOfSync."""
        present(self._control, ask.account, id)
        return self._log_reveal(ask, self._verified(id))

    def _log_reveal(self, ask: Ask, found: Revealed) -> Revealed:
        """Note in the audit log that it is told to this key, which must still be good; gives the same."""
        with self._control.change() as change:
            ask.check()
            audit.note(change, ask.event("database.reveal", found.row.id, int(self._clock())))
        return found

    def _reveal_after(self, ask: Ask, intent: Intent) -> Revealed:
        if intent.repeated:
            row = hosted.one(self._control, intent.id)
            if row is None or row.wanted == "absent":
                raise not_found(intent.id)
            if row.applied < intent.generation:
                raise IdempotencyInProgress(
                    "the first request with this `Idempotency-Key` is still being done", hint="try again soon"
                )
            return self._log_reveal(ask, self._verified(intent.id))
        found = self._unsealed(self._await_settled(intent.id, intent.generation))
        ask.check()
        return found

    def _verified(self, id: str) -> Revealed:
        """A database with a password that the server knows now.

        One that is being rotated is rolled forward first.
        """
        found = self._unsealed(self._await_settled(id, 0))
        while not self._provisioner.verify(id, found.password):
            again = self._unsealed(self._await_settled(id, 0))
            if again.password == found.password:
                raise _out_of_sync(again.row)
            found = again
        return found

    def _await_settled(self, id: str, generation: int) -> Hosted:
        """The row once the leader, here or elsewhere, has settled this generation or a later one."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            row = hosted.one(self._control, id)
            if row is None or row.wanted == "absent":
                raise not_found(id)
            if row.suspended:
                raise suspended()
            if row.lost:
                raise lost(row)
            if row.applied >= generation and row.next_password is None and row.is_there:
                return row
            if self._leader.leads():
                self._leader.settle(id, max(end - time.monotonic(), 0))
            else:
                time.sleep(_PAUSE)
        self._provisioner.check()
        raise DatabaseBusy(
            f"the server takes longer than {PATIENCE:.0f} s", hint="ask again for the database"
        )

    def _unsealed(self, row: Hosted) -> Revealed:
        if row.password is None:
            raise DatabaseBusy(f"the database `{row.name}` is still being created", hint="try again soon")
        return Revealed(row, self._keyring.open(row.password, password_of(row.id)))


def _out_of_sync(row: Hosted) -> PasswordOutOfSync:
    return PasswordOutOfSync(
        f"the password of `{row.name}` was changed by the database's own user",
        hint="the one that it chose works; rotate to set a new one that can be revealed",
    )
