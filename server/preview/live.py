"""The current state of the preview and those who wait for the next one; lives in the event loop."""

from __future__ import annotations

import asyncio

from server.preview.snapshot import Snapshot


class Live:
    """`current` is the last snapshot, or None before the first build has ended."""

    def __init__(self) -> None:
        self.current: Snapshot | None = None
        self.closed = False
        self._change = asyncio.Event()

    def publish(self, snapshot: Snapshot) -> None:
        """Make this the current state and wake everybody who waits."""
        self.current = snapshot
        self._wake()

    def close(self) -> None:
        """Wake everybody for the last time: the server stops."""
        self.closed = True
        self._wake()

    async def ready(self) -> Snapshot | None:
        """The current state, waiting for the first build; None when the server stops before it."""
        while self.current is None and not self.closed:
            await self._change.wait()
        return self.current

    async def after(self, number: int, seconds: float) -> Snapshot | None:
        """The state once it is no longer number `number`; None after `seconds` without one."""
        try:
            async with asyncio.timeout(seconds):
                while not self.closed and (self.current is None or self.current.number == number):
                    await self._change.wait()
        except TimeoutError:
            return None
        return self.current

    def _wake(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
