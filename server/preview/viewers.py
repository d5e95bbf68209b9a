"""The current state of the preview, those who wait for the next one, and the events that tell them.

All of it lives in the event loop. A page hears what it needs to reload itself and to show what is wrong:

    event: state
    data: {"page": "<version>", "assets": "<version>", "built": 7, "stale": false, "errors": 1,
           "warnings": 0, "problems": [{"level": "error", "code": ..., "file": ..., "line": ..., ...}],
           "notice": "This site's own programs ... are not run ...", "reading": false}

The whole state is sent when a page connects and after every build, so that a stream that broke off needs
no memory on either side. When more windows listen than a browser has connections for, the oldest are told so,
with an event `crowded`, and ask for the state alone from time to time (`?now`). The answer to that has `room`
too: whether they may listen again.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote

from aiohttp import web
from msgspec import Struct
from msgspec.structs import asdict

from builder.report import Problem
from server.preview.problems import BLOCKING, concerns
from server.preview.snapshot import Snapshot
from server.site_files.routing import Route, answer

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
        """True if one more may listen, and none has to give way."""
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
        """True if the current state may lack a change of this server's own."""
        return self.current is not None and self.current.started < self._written

    def can_wait(self, since: float) -> bool:
        """Return whether the build that was due at `since` (`time.monotonic`) is better made a little later.

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

    async def until(self, is_right: Callable[[Snapshot], bool]) -> Snapshot | None:
        """The first state from now on that is right; None when the server stops before it."""
        while not self.closed and (self.current is None or not is_right(self.current)):
            await self._change.wait()
        return None if self.closed else self.current

    async def whole(self) -> Snapshot | None:
        """The same as `ready` for those who cannot be told later: not before all pages have been read."""
        found = await self.until(lambda snapshot: not snapshot.is_outline)
        return found and await self.ready()

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


KEEP_ALIVE = 20.0
"""Seconds after which something is sent although nothing happened, to notice who has gone."""

MOST = 200
"""Problems that are sent; the numbers are told in full, and `twinpress check` has the rest."""

Version = Callable[[Snapshot, str], Awaitable[str]]
"""The version of what is at an output path of a snapshot."""


async def stream(request: web.Request, live: Live, version: Version) -> web.StreamResponse:
    """Send states until the client goes or the server stops."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    path = unquote(request.query.get("page", "/"))
    snapshot = await live.ready()
    # The page may be closed or left.
    with suppress(ConnectionError), live.showing(lambda: request.transport is None) as listener:
        while snapshot is not None and not live.closed:
            listener.output = _output(snapshot, path)
            await response.write(await _event(snapshot, path, version))
            snapshot = await _next(response, live, snapshot, listener)
    return response


async def now(request: web.Request, live: Live, version: Version) -> web.StreamResponse:
    """The state alone; raises `HTTPServiceUnavailable` when the server stops."""
    snapshot = await live.ready()
    if snapshot is None:
        raise web.HTTPServiceUnavailable
    found = await state(snapshot, unquote(request.query.get("page", "/")), version)
    return web.json_response({**found, "room": live.has_room}, headers={"Cache-Control": "no-store"})


async def _next(
    response: web.StreamResponse, live: Live, shown: Snapshot, listener: Viewer
) -> Snapshot | None:
    while not live.closed and not listener.crowded:
        snapshot = await live.after(shown.number, KEEP_ALIVE, listener)
        if snapshot is not None:
            return snapshot
        await response.write(b": still here\n\n")
    if listener.crowded:
        await response.write(b"event: crowded\ndata:\n\n")
    return None


async def _event(snapshot: Snapshot, path: str, version: Version) -> bytes:
    data = json.dumps(await state(snapshot, path, version))
    return f"retry: 700\nevent: state\ndata: {data}\n\n".encode()


def _output(snapshot: Snapshot, path: str) -> str:
    """The output path of the page at the address `path`, or "" when there is none."""
    place = answer(path, snapshot.paths, snapshot.base)
    return place.output if isinstance(place, Route) else ""


async def state(snapshot: Snapshot, path: str, version: Version) -> dict[str, object]:
    """Return the message for the page at the address `path`; its own problems come first."""
    output = _output(snapshot, path)
    ordered = sorted(snapshot.problems, key=lambda each: _rank(each, output))
    return {
        "page": await version(snapshot, output) if output else "",
        "assets": str(snapshot.assets),
        "built": snapshot.number,
        "stale": snapshot.stale,
        "notice": snapshot.notice,
        "reading": snapshot.is_outline,
        "errors": sum(problem.level == "error" for problem in ordered),
        "warnings": sum(problem.level == "warning" for problem in ordered),
        "problems": [asdict(problem) for problem in ordered[:MOST]],
    }


def _rank(problem: Problem, output: str) -> tuple[bool, bool, bool]:
    """Rank problems: first those that stop the whole build, then errors, then those on this page."""
    return (problem.code not in BLOCKING, problem.level != "error", not concerns(problem, output))
