"""Accept connections for a web application, for a time."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from builder.errors import TwinpressError
from server.wire.runner import Runner


@asynccontextmanager
async def listening(runner: Runner, host: str, ports: Sequence[int]) -> AsyncIterator[int]:
    """Listen on the first of these ports that nobody uses, and give it; 0 is any free one.

    At the end, open requests get the runner's time for theirs. Raises TwinpressError.
    """
    await runner.setup()
    try:
        yield await _bind(runner, host, ports)
    finally:
        await runner.cleanup()


async def _bind(runner: Runner, host: str, ports: Sequence[int]) -> int:
    for port in ports:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port != ports[-1]:
                continue
            message = f"cannot listen on {host}, port {port}: {error.strerror or error}"
            raise TwinpressError(message, hint="choose another --host or --port") from None
        address: tuple[str, int] = runner.addresses[0][:2]
        return address[1]
    raise ValueError("no port is given to listen on")
