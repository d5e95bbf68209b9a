"""Threads that wait for the database server are few: no account gets more than its share of them.

What waits for a thread of its account waits in the event loop, and takes none from other accounts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct, field

T = TypeVar("T")

SHARE = 3
"""Requests of one account that may wait for the database server at a time."""


class _Account(Struct):
    """The free places of an account, and how many requests have one or wait for one."""

    free: asyncio.Semaphore
    users: int = 0


class AccountSlots(Struct, frozen=True):
    """Does work in `threads`, for each account `share` at a time. To be used in one event loop."""

    threads: Executor
    share: int = SHARE
    _accounts: dict[str, _Account] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """The number of requests that have a place or wait for one; for the event loop."""
        return sum(account.users for account in self._accounts.values())

    async def begin(self, account: str, work: Callable[[], T]) -> asyncio.Future[T]:
        """Begin the work as soon as the account has a free place, and give what it will give.

        It keeps the place until it ends, also when nobody waits for it any more: its thread goes on.
        """
        await self._join(account)
        loop = asyncio.get_running_loop()
        try:
            future = self.threads.submit(work)
        except BaseException:
            self._leave(account)
            raise

        def ended(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has ended, and everybody who waits with it
                loop.call_soon_threadsafe(self._leave, account)

        future.add_done_callback(ended)
        return asyncio.wrap_future(future)

    async def _join(self, id: str) -> None:
        account = self._accounts.setdefault(id, _Account(asyncio.Semaphore(self.share)))
        account.users += 1
        try:
            await account.free.acquire()
        except BaseException:
            self._forget(id)
            raise

    def _leave(self, id: str) -> None:
        self._accounts[id].free.release()
        self._forget(id)

    def _forget(self, id: str) -> None:
        self._accounts[id].users -= 1
        if not self._accounts[id].users:
            del self._accounts[id]
