"""The current state of the preview and those who wait for the next one; lives in the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

from server.preview.snapshot import Snapshot

PATIENCE = 20.0
"""Seconds that a reader waits for the build after a change."""
STREAM = 0.2
"""Seconds between two changes of this server's own that belong to one stream of them."""
LONGEST_STREAM = 2.0
"""Seconds after which a stream of changes is built although it goes on; more where a build takes long."""
UNSEEN_STREAM = 15.0
"""The same while no browser shows a page."""
MOST_STREAMS = 4
"""Event streams at once: browsers have six connections for a server, and pages need some to be loaded."""
SHARE = 10
"""How many times as long as the last build a stream goes on before it is built."""


class Viewer(Struct, eq=False):
    """A browser that shows the page at an output path; `crowded` when newer ones need its connection.

    `gone` tells whether it has left, which is otherwise noticed only when something is sent to it.
    """

    gone: Callable[[], bool]
    output: str = ""
    crowded: bool = False


class Live:
    """`current` is the last snapshot, or None before the first build has ended.

    `bases` are the base paths that the site has had, the present one last.
    """

    def __init__(self) -> None:
        self.current: Snapshot | None = None
        self.bases: list[str] = []
        self.closed = False
        self._written = 0.0
        self._stream = 0.0
        self._waiting = 0
        self._listening = 0
        self._listeners: list[Viewer] = []
        self._change = asyncio.Event()

    @contextmanager
    def showing(self, gone: Callable[[], bool]) -> Iterator[Viewer]:
        """For the time of the block, a browser shows a page and listens; the oldest may have to give way."""
        listener = Viewer(gone)
        self._listeners.append(listener)
        for oldest in self._present()[:-MOST_STREAMS]:
            oldest.crowded = True
            self._wake()
        try:
            yield listener
        finally:
            self._listeners.remove(listener)

    @property
    def has_room(self) -> bool:
        """Whether one more may listen, and none has to give way."""
        return len(self._present()) < MOST_STREAMS

    def seen(self) -> list[str]:
        """The output paths of all pages that are open in browsers. From any thread."""
        return [listener.output for listener in list(self._listeners)]

    def publish(self, snapshot: Snapshot) -> None:
        """Make this the current state and wake everybody who waits."""
        self.current = snapshot
        self.bases = [*(base for base in self.bases if base != snapshot.base), snapshot.base]
        self._wake()

    def written(self) -> None:
        """This server has changed the sources: whoever asks now waits for the build that has the change."""
        now = time.monotonic()
        self._stream = self._stream if now - self._written < STREAM else now
        self._written = now

    @property
    def behind(self) -> bool:
        """Whether the current state may lack a change of this server's own."""
        return self.current is not None and self.current.started < self._written

    def can_wait(self, since: float) -> bool:
        """Whether the build that was due at `since` (`time.monotonic`) is better made a little later.

        That is while changes come one after another and nobody waits to see them: a build takes the
        processor from them, and would be old at once. From any thread.
        """
        now = time.monotonic()
        streaming = self._stream < self._written and now - self._written < STREAM
        patience = LONGEST_STREAM if self._listening else UNSEEN_STREAM
        longest = max(patience, SHARE * self.current.seconds if self.current else 0.0)
        return streaming and not self._waiting and now - since < longest

    def close(self) -> None:
        """Wake everybody for the last time: the server stops."""
        self.closed = True
        self._wake()

    async def ready(self) -> Snapshot | None:
        """The current state, waiting for the first build; None when the server stops before it.

        A state that lacks a change of this server's own is waited out, but not for ever: what was written may
        be what was there.
        """
        while self.current is None and not self.closed:
            await self._change.wait()
        self._waiting += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    while self.behind and not self.closed:
                        await self._change.wait()
        finally:
            self._waiting -= 1
        return self.current

    async def after(self, number: int, seconds: float, listener: Viewer) -> Snapshot | None:
        """The state once it is not number `number`; None after `seconds` without one, and for the crowded."""
        self._listening += 1
        try:
            async with asyncio.timeout(seconds):
                while not self.closed and (self.current is None or self.current.number == number):
                    if listener.crowded:
                        return None
                    await self._change.wait()
        except TimeoutError:
            return None
        finally:
            self._listening -= 1
        return self.current

    def _present(self) -> list[Viewer]:
        return [each for each in self._listeners if not (each.crowded or each.gone())]

    def _wake(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
