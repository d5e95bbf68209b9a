"""One request at a time for each host, with a pause after each, and as long as the host asks for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct, field


class HostBusy(Exception):
    """The host asks to be left alone for so many seconds, longer than anybody waits."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the host asks to be left alone for {seconds:.0f} seconds")


class _Host(Struct):
    """Its lock, and the time from which on it may be asked again."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free: float = 0.0
    pause: float = 0.0


class HostTurns:
    """The hosts that are asked; `pause` lies between two requests, nobody waits more than `patience`."""

    def __init__(self, pause: float, patience: float) -> None:
        self._pause = pause
        self._patience = patience
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until a host may be asked. Raises HostBusy."""
        one = self._of(host)
        async with one.lock:
            wait = one.free - time.monotonic()
            if wait > self._patience:
                raise HostBusy(wait)
            if wait > 0:
                await asyncio.sleep(wait)
            try:
                yield
            finally:
                one.free = max(one.free, time.monotonic() + max(self._pause, one.pause))

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        one = self._of(host)
        one.free = max(one.free, time.monotonic() + seconds)

    def slow_down(self, host: str, pause: float) -> None:
        """Pause longer between requests of a host, as its robots.txt says, within what anybody waits."""
        one = self._of(host)
        one.pause = max(one.pause, min(pause, self._patience))

    def _of(self, host: str) -> _Host:
        return self._hosts.setdefault(host, _Host())
