"""The work of the API and the dashboard on hosted databases, so that no request waits for ever.

What waits for the database server does so in the threads of `slots`, and the rest in `quick`: that goes on
when the server stands still.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

from msgspec import Struct

from builder.errors import TwinpressError
from server.control.plans import Plans
from server.databases.account_slots import AccountSlots
from server.databases.database_answers import away, crowded, of_error, record, revealed
from server.databases.database_structs import DatabaseRecord, RevealedDatabase
from server.hosting.hosted import Hosted
from server.hosting.hosting_service import Databases, Revealed
from server.hosting.idempotency import Ask
from server.postgres.server import DatabaseServer

T = TypeVar("T")
PATIENCE = 20.0
"""Seconds that a request waits for the database server: more than the service does, where it can tell why."""
GLANCE = 1.0
"""Seconds that a page waits for a figure that it can do without."""


class DatabaseWork(Struct, frozen=True):
    """The databases of all accounts; `server` gives the database server as it is now. All raise Failure."""

    hosting: Databases
    server: Callable[[], DatabaseServer]
    plans: Plans
    slots: AccountSlots
    quick: Executor

    async def list(self, account: str, limit: int = -1, behind: int = 0) -> Sequence[Hosted]:
        """At most `limit` databases of an account, from old to new, behind the one with this number."""
        loop = asyncio.get_running_loop()
        listing = loop.run_in_executor(self.quick, self.hosting.list, account, limit, behind)
        return await _until(loop.time() + PATIENCE, listing)

    def record(self, row: Hosted) -> DatabaseRecord:
        """A database as its owner may see it."""
        return record(row, self.server(), self.plans)

    async def connections(self, account: str, id: str) -> int | None:
        """Count the connections to a database of an account; None when the server does not say at once."""
        try:
            async with asyncio.timeout(GLANCE):
                return await (await self.slots.begin(account, partial(self.hosting.connections, id)))
        except (TimeoutError, TwinpressError):
            return None

    async def create(self, ask: Ask, name: str | None) -> RevealedDatabase:
        """A new database; its password works."""
        return await self._revealed(ask, partial(self.hosting.create, ask, name))

    async def reveal(self, ask: Ask, id: str) -> RevealedDatabase:
        """A database with its password."""
        return await self._revealed(ask, partial(self.hosting.reveal, ask, id))

    async def rotate(self, ask: Ask, id: str, *, end_sessions: bool) -> RevealedDatabase:
        """A database with a new password; the old one is refused."""
        return await self._revealed(ask, partial(self.hosting.rotate, ask, id, end_sessions=end_sessions))

    async def delete(self, ask: Ask, id: str) -> None:
        """Delete a database for good."""
        await self._do(ask, partial(self.hosting.delete, ask, id))

    async def _revealed(self, ask: Ask, work: Callable[[], Revealed]) -> RevealedDatabase:
        return revealed(await self._do(ask, work), self.server(), self.plans)

    async def _do(self, ask: Ask, work: Callable[[], T]) -> T:
        end = asyncio.get_running_loop().time() + PATIENCE
        try:
            async with asyncio.timeout_at(end):
                doing = await self.slots.begin(ask.account, work)
        except TimeoutError:
            raise crowded() from None
        return await _until(end, doing)


async def _until(end: float, doing: Awaitable[T]) -> T:
    """Do work in a thread, in which it goes on when it takes too long to be waited for."""
    try:
        async with asyncio.timeout_at(end):
            return await doing
    except TimeoutError:
        # The server may stand still without refusing anything.
        raise away() from None
    except TwinpressError as error:
        failure = of_error(error)
        if failure is None:
            raise
        raise failure from error
