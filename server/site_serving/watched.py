"""A value that is read from a store, and looked at again when it may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from builder.errors import TwinpressError

T = TypeVar("T")

AGE = 0.02
"""Seconds for which a value is taken to be unchanged: one look a site serves all requests of that time."""


class Watched(Generic[T]):
    """The value that `read` gives, given the one before; `version` is cheap to ask for. For one event loop.

    Both are called in a thread. A fault is raised to all who wait, and looked into again at the next look.
    """

    def __init__(self, version: Callable[[], str], read: Callable[[T | None], T]) -> None:
        self._version = version
        self._read = read
        self._seen: str | None = None
        self._value: T | None = None
        self._fault: Exception | None = None
        self._until = 0.0
        self._look: asyncio.Task[None] | None = None

    @property
    def last(self) -> T | None:
        """The value that was read last, None before the first."""
        return self._value

    async def current(self) -> T:
        """Return the value as it was at most AGE ago. Raises what `read` does."""
        loop = asyncio.get_running_loop()
        if loop.time() >= self._until:
            if self._look is None:
                self._look = loop.create_task(self._look_again(loop))
            await asyncio.shield(self._look)
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        assert self._value is not None  # noqa: S101 - there is a value or a fault
        return self._value

    async def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            await loop.run_in_executor(None, self._renew)
            self._fault = None
        except (TwinpressError, OSError) as fault:
            self._seen, self._fault = None, fault
        finally:
            self._look = None
            self._until = loop.time() + AGE

    def _renew(self) -> None:
        # The version comes first: what changes in between has another one at the next look.
        version = self._version()
        if version != self._seen:
            self._value = self._read(self._value)
            self._seen = version
