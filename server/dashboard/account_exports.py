"""Exports of accounts on their way to browsers: written as fast as they are read, few at a time.

A layer below the desk, with threads of its own.
"""

from __future__ import annotations

import asyncio
import io
import logging
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import cast

from aiohttp import web

from server.export.account_export import ExportSource, export_account
from server.http.failure import Failure

ALL_AT_ONCE = 2
"""Exports of the service at a time; an account has one."""
_CHUNK = 256 * 1024
_PATIENCE = 1.0
"""Seconds after which a thread looks whether anybody is still there."""
ENOUGH = 10.0
"""Seconds for a chunk: whose reader needs more makes way when somebody else wants to export. Two people could
hold all places for days."""
_LOG = logging.getLogger("twinpress.export")


class AccountExports:
    """The exports that are being sent. To be used in one event loop."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._pool = ThreadPoolExecutor(ALL_AT_ONCE, "twinpress-exports")
        self._running: dict[str, asyncio.Future[None] | None] = {}
        self._sent: dict[str, _Sent] = {}

    def close(self) -> None:
        """End: an export that goes on ends with its connection."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def length(self) -> int:
        """The number of exports that are being written."""
        return len(self._running)

    @contextmanager
    def place(self, account: str) -> Iterator[None]:
        """A place for the export of an account. Raises Failure where there is none."""
        if account in self._running:
            raise _busy("an export of this account is being downloaded already")
        if len(self._running) >= ALL_AT_ONCE:
            self._make_way()
            raise _busy("other people export their accounts just now")
        self._running[account] = None
        try:
            yield
        finally:
            work = self._running[account]
            if work is None or work.done():
                del self._running[account]
            else:  # the download has broken off, and a dump goes on until it hears of that
                work.add_done_callback(lambda _: self._running.pop(account))

    def _make_way(self) -> None:
        """End the export whose reader is waited for longest, if that is too long: its place is free soon."""
        slowest = max(self._sent.values(), key=_Sent.waiting, default=None)
        if slowest is not None and slowest.waiting() > ENOUGH:
            slowest.is_over = True

    async def send(self, response: web.StreamResponse, account: str, by: str) -> None:
        """Write the zip of an account into a response that was begun. Raises what breaks it off."""
        loop = asyncio.get_running_loop()
        target = self._sent[account] = _Sent(response, loop)

        def write() -> None:
            # It reads and seeks nothing, which is all that a zip asks of a file.
            with io.BufferedWriter(cast(io.RawIOBase, target), _CHUNK) as buffered:
                export_account(self._source, account, by, buffered)

        work = loop.run_in_executor(self._pool, write)
        self._running[account] = work
        try:
            await asyncio.shield(work)
        except BaseException:
            target.is_over = True
            work.add_done_callback(_seen)
            raise
        finally:
            del self._sent[account]


class _Sent(io.RawIOBase):
    """A file whose bytes go into a response, from a thread that waits for them to be taken."""

    def __init__(self, response: web.StreamResponse, loop: asyncio.AbstractEventLoop) -> None:
        self._response = response
        self._loop = loop
        self._since: float | None = None
        self.is_over = False

    def waiting(self) -> float:
        """The seconds for which the reader is waited for; 0 while the next bytes are made."""
        since = self._since
        return time.monotonic() - since if since is not None else 0.0

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        """Send some bytes. Raises BrokenPipeError when nobody takes them any more."""
        self._check()
        sent = bytes(cast(memoryview, data))
        self._since = time.monotonic()
        taken = asyncio.run_coroutine_threadsafe(self._response.write(sent), self._loop)
        try:
            while not _is_taken(taken):
                self._check()
        finally:
            taken.cancel()
            self._since = None
        return len(sent)

    def _check(self) -> None:
        if self.is_over or self._loop.is_closed():
            raise BrokenPipeError("the download has broken off")


def _is_taken(taken: Future[None]) -> bool:
    """Wait a moment. Raises what the connection does."""
    return bool(wait([taken], _PATIENCE).done) and taken.result() is None


def _busy(why: str) -> Failure:
    return Failure("RATE_LIMITED", f"{why}: wait until it has ended, and try again", {"Retry-After": "60"})


def _seen(work: asyncio.Future[None]) -> None:
    """Look at how a thread has ended whose download broke off before."""
    error = None if work.cancelled() else work.exception()
    if error is not None and not isinstance(error, OSError):
        _LOG.error("an export that broke off has failed: %s", error)
