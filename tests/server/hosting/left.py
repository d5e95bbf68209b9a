"""A database whose leader is gone, so that a test says who settles it, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from server.control.accounts.accounts import Account
from server.control.sealing import password_of
from server.hosting import hosted
from server.hosting.hosted import Hosted
from server.hosting.hosting_service import Revealed
from server.hosting.intents import Intents
from tests.server.hosting.world import World, ask


class Left(Struct, frozen=True):
    """A database whose leader is gone: nobody settles it until a test begins another process."""

    data: Path
    service: World
    account: Account
    made: Revealed
    begin: Callable[[], World]
    """Another process on the same data, which leads when this returns."""

    @property
    def intents(self) -> Intents:
        """Write down what shall be, with nobody who does it."""
        own = self.service.applier
        return Intents(own.control, own.keyring, own.plans, own.clock)

    @property
    def row(self) -> Hosted:
        """As it is now."""
        return self.row_of(self.made.row.id)

    def row_of(self, id: str) -> Hosted:
        """Another database as it is now."""
        row = hosted.one(self.service.database, id)
        assert row
        return row

    def rotate(self, *, end_sessions: bool = False) -> str:
        """Write a rotation down; gives the password that the database is to have."""
        self.intents.rotate(ask(self.account), self.made.row.id, end_sessions=end_sessions)
        return self.next_password(self.made.row.id)

    def next_password(self, id: str) -> str:
        """The password that a database is to have."""
        sealed = self.row_of(id).next_password
        assert sealed
        return self.service.keyring.open(sealed, password_of(id))

    def is_unsettled(self, now: float) -> bool:
        """Return whether a leader would take it up at this time."""
        own = self.service.applier
        return bool(hosted.unsettled(own.control, own.connections, int(now)))

    @contextmanager
    def without_role(self) -> Iterator[None]:
        """For the time of the block, the server refuses whatever is asked of its role."""
        name = self.made.row.id
        with self.service.server.connect() as admin:
            admin.execute(f"ALTER ROLE {name} RENAME TO elsewhere".encode())
            try:
                yield
            finally:
                admin.execute(f"ALTER ROLE elsewhere RENAME TO {name}".encode())
