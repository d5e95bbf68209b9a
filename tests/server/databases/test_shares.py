"""Of the threads that wait for the database server, an account has a share at most."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from server.databases.account_slots import AccountSlots


async def begun(
    shares: AccountSlots, account: str, work: Event, patience: float = 10.0
) -> asyncio.Future[bool]:
    """Work that goes on until the event is set, if it can be begun so soon."""
    async with asyncio.timeout(patience):
        return await shares.begin(account, lambda: work.wait(10))


def test_an_account_waits_for_its_own_share_and_others_do_not_wait_for_it() -> None:
    async def course(shares: AccountSlots, go: Event) -> None:
        first = [await begun(shares, "a", go) for _ in range(2)]
        third = asyncio.create_task(begun(shares, "a", go))
        other = await begun(shares, "b", go)
        with pytest.raises(TimeoutError):
            await begun(shares, "a", go, 0.01)
        assert not third.done()
        go.set()
        assert await asyncio.gather(*first, other, await third) == [True] * 4

    run(course)


def test_work_that_is_not_waited_for_any_more_keeps_its_place_until_it_ends() -> None:
    async def course(shares: AccountSlots, go: Event) -> None:
        for _ in range(2):
            (await begun(shares, "a", go)).cancel()
        with pytest.raises(TimeoutError):
            await begun(shares, "a", go, 0.05)
        go.set()
        assert await (await begun(shares, "a", go))

    run(course)


def test_work_that_fails_leaves_its_place() -> None:
    async def course(shares: AccountSlots, go: Event) -> None:
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await (await shares.begin("a", lambda: 1 // 0))
        go.set()

    run(course)


def run(course) -> None:
    """A course of events with shares of two threads; at its end they have forgotten every account."""
    go = Event()
    with ThreadPoolExecutor(3) as threads:
        shares = AccountSlots(threads, 2)

        async def all_of_it() -> None:
            try:
                await course(shares, go)
            finally:
                go.set()
            async with asyncio.timeout(5):
                while shares._accounts:
                    await asyncio.sleep(0.001)

        asyncio.run(all_of_it())
