"""Do what takes long apart from the event loop, and only so much of it at a time: hashes of passwords."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from server.http.failure import Failure

THREADS, WAITING = 2, 32
"""Each hash takes 64 MiB for some tens of milliseconds; who would wait longer than a second is sent away."""
_BUSY = Failure("TOO_BUSY", "many people sign in just now: try again in a moment", {"Retry-After": "2"})
P = ParamSpec("P")
T = TypeVar("T")


class SlowWork:
    """Threads for work on passwords. To be used in one event loop."""

    def __init__(self, threads: int = THREADS, waiting: int = WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, "twinpress-passwords")
        self._most = threads + waiting
        self._begun = 0

    async def do(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `act` returns. Raises what it raises, and Failure with `TOO_BUSY` in a crowd."""
        self.check_room()
        self._begun += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: act(*args, **kwargs))
        finally:
            self._begun -= 1

    def check_room(self) -> None:
        """Raise Failure with `TOO_BUSY` in a crowd: nobody's form need be read then."""
        if self._begun >= self._most:
            raise _BUSY

    @property
    def length(self) -> int:
        """The number of acts that run or wait."""
        return self._begun

    def close(self) -> None:
        """End, when what was begun has ended."""
        self._pool.shutdown(cancel_futures=True)
