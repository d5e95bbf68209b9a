"""An application in a thread of the test with a loop of its own: a browser's test has one too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from aiohttp import web

from tests.waiting import PATIENCE


@contextmanager
def served(app: web.Application, port: int = 0) -> Iterator[int]:
    """Answer at a port for the time of the block; 0 is any free one. Gives the port."""
    loop, ready, runner = asyncio.new_event_loop(), Event(), web.AppRunner(app)
    thread = Thread(target=_serve, args=(loop, runner, port, ready))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield int(runner.addresses[0][1])
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def _serve(loop: asyncio.AbstractEventLoop, runner: web.AppRunner, port: int, ready: Event) -> None:
    asyncio.set_event_loop(loop)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", port).start())
    loop.call_soon(ready.set)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(runner.cleanup())
        loop.close()
