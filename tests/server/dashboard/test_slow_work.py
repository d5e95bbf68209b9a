"""Work on passwords: only so much of it at a time, and a crowd is sent away at once."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from server.dashboard.desk import SlowWork
from server.http.failure import Failure


def test_who_comes_to_a_crowd_is_sent_away_until_somebody_is_through() -> None:
    async def crowd() -> None:
        slow, done = SlowWork(threads=1, waiting=1), Event()
        slow.check_room()
        tasks = [asyncio.create_task(slow.do(done.wait)) for _ in range(2)]
        await asyncio.sleep(0)  # both have begun
        for attempt in (slow.check_room, lambda: asyncio.create_task(slow.do(int))):
            with pytest.raises(Failure) as refused:
                await (attempt() or asyncio.sleep(0))
            assert (refused.value.code, refused.value.headers) == ("TOO_BUSY", {"Retry-After": "2"})
        done.set()
        assert await asyncio.gather(*tasks) == [True, True]
        assert await slow.do(int) == 0
        slow.close()

    asyncio.run(crowd())
