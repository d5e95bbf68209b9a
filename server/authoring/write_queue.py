"""Changes wait in a line for their turn, and those who wait together lose patience together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from msgspec import Struct

from server.http.failure import Failure

T = TypeVar("T")


class WriteQueue(Struct):
    """Does work in `threads`. Where one was refused as others keep writing, so is what stood behind it."""

    threads: Executor
    _gave_up: float = 0.0
    _refusal: Failure | None = None

    async def take(self, work: Callable[[], T]) -> T:
        """Return what the work gives, or raise what it raises."""
        asked = time.monotonic()
        return await asyncio.get_running_loop().run_in_executor(self.threads, self._do, work, asked)

    def _do(self, work: Callable[[], T], asked: float) -> T:
        if self._refusal is not None and asked < self._gave_up:
            raise Failure(self._refusal.code, self._refusal.message, self._refusal.headers)
        try:
            return work()
        except Failure as failure:
            if failure.code == "TOO_BUSY":
                self._gave_up, self._refusal = time.monotonic(), failure
            raise
