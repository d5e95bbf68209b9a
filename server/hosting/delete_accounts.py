"""Delete the databases of accounts whose time is over: such an account goes when nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from server.control.accounts import deletion
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.idempotency import Ask
from server.hosting.intents import Intents

ACTOR = "deletion"
"""Who asks for it, in the audit log."""


class AccountDeletion(Struct, frozen=True):
    """Looks regularly for accounts whose time is over. `clock` gives the seconds since 1970."""

    control: ControlDatabase
    intents: Intents
    clock: Callable[[], float]

    def run(self) -> None:
        """Have their databases deleted; `deletion.delete_empty` deletes accounts that have none."""
        for account in deletion.due(self.control, int(self.clock())):
            for row in hosted.all_of(self.control, account):
                if row.wanted == "present":
                    self.intents.delete(Ask(account, ACTOR), row.id)
