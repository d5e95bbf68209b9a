"""A watched value: looked at once for all who ask, and again after a fault."""

from __future__ import annotations

import asyncio

import pytest

from builder.errors import StorageError
from server.site_serving.live_sites import AGE, Watched


class Source:
    """A value with a version, which may refuse."""

    def __init__(self) -> None:
        self.number = 0
        self.looks = self.reads = 0
        self.refuses = False

    def version(self) -> str:
        self.looks += 1
        return str(self.number)

    def read(self, before: int | None) -> int:
        self.reads += 1
        if self.refuses:
            raise StorageError("no")
        return self.number


def test_a_value_is_looked_at_once_in_a_while_and_read_when_it_has_changed():
    source = Source()

    async def ask() -> None:
        watched = Watched(source.version, source.read)
        assert await asyncio.gather(*(watched.current() for _ in range(50))) == [0] * 50
        assert (source.looks, source.reads) == (1, 1)
        await asyncio.sleep(AGE * 1.5)
        assert await watched.current() == 0
        assert source.reads == 1
        source.number = 7
        await asyncio.sleep(AGE * 1.5)
        assert await asyncio.gather(*(watched.current() for _ in range(50))) == [7] * 50
        assert (watched.last, source.reads) == (7, 2)

    asyncio.run(ask())


def test_a_fault_is_told_to_all_and_looked_into_again():
    source = Source()

    async def ask() -> None:
        watched = Watched(source.version, source.read)
        source.refuses = True
        found = await asyncio.gather(*(watched.current() for _ in range(5)), return_exceptions=True)
        assert [type(each) for each in found] == [StorageError] * 5
        assert source.reads == 1
        source.refuses = False
        with pytest.raises(StorageError):
            await watched.current()
        await asyncio.sleep(AGE * 1.5)
        assert await watched.current() == 0

    asyncio.run(ask())


def test_one_who_leaves_takes_nothing_from_the_others():
    source = Source()

    async def ask() -> None:
        watched = Watched(source.version, source.read)
        first, second = (asyncio.create_task(watched.current()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == 0

    asyncio.run(ask())
