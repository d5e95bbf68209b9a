"""The event stream: what a page must know to reload itself and to show what is wrong.

    event: state
    data: {"page": "<version>", "assets": "<version>", "built": 7, "stale": false, "errors": 1,
           "warnings": 0, "problems": [{"level": "error", "code": ..., "file": ..., "line": ..., ...}],
           "notice": "This site's own programs ... are not run ..."}

The whole state is sent when a page connects and after every build, so that a stream that broke off needs
no memory on either side. When more windows listen than a browser has connections for, the oldest are told so,
with an event `crowded`, and ask for the state alone from time to time (`?now`). The answer to that has `room`
too: whether they may listen again.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import unquote

from aiohttp import web
from msgspec.structs import asdict

from builder.report import Problem
from server.preview.problems import BLOCKING, concerns
from server.preview.routing import Route, answer
from server.preview.snapshot import Snapshot
from server.preview.viewers import Live, Viewer

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
    """What the page at the address `path` is told; its own problems come first."""
    output = _output(snapshot, path)
    ordered = sorted(snapshot.problems, key=lambda each: _rank(each, output))
    return {
        "page": await version(snapshot, output) if output else "",
        "assets": str(snapshot.assets),
        "built": snapshot.number,
        "stale": snapshot.stale,
        "notice": snapshot.notice,
        "errors": sum(problem.level == "error" for problem in ordered),
        "warnings": sum(problem.level == "warning" for problem in ordered),
        "problems": [asdict(problem) for problem in ordered[:MOST]],
    }


def _rank(problem: Problem, output: str) -> tuple[bool, bool, bool]:
    """What keeps the whole site from being built comes first, then errors, then what is on this page."""
    return (problem.code not in BLOCKING, problem.level != "error", not concerns(problem, output))
