"""Run the process for readers: listen, answer until told to stop."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

from aiohttp import web
from msgspec import Struct, field

from server.http.connection_room import Wire
from server.http.keyless_limits import KeylessLimits
from server.http.listening import listening
from server.http.logged_request import LoggedRequest
from server.http.runner import Server, fitting
from server.http.stop_signals import stop_signal
from server.releases.site_stores import readers_stores
from server.site_serving.certificate_answers import HOST as CERTIFICATE_HOST
from server.site_serving.certificate_answers import certificate_app
from server.site_serving.live_sites import LiveSites
from server.site_serving.object_memory import MEMORY, ObjectMemory
from server.site_serving.preview_relay import PreviewRelay
from server.site_serving.reader_answers import ReaderAnswers
from server.site_serving.readers_door import ReadersDoor

GOODBYE = 8.0
"""Seconds that requests get to come to their end."""
CONNECTIONS = 1_900
READS = 64
"""Requests to a bucket at a time, each of which waits in a thread."""
EACH = 2
"""Files that a connection may need: its own, and one to the service or of an object that is read."""


class ReadersSettings(Struct, frozen=True):
    """The folder of the service's data, the address to listen on, and the socket of the service.

    Releases are in the bucket at the address `releases`; with "" in the folder of the data. Of objects,
    `memory` bytes are kept. The TLS proxy asks at `ask_port` of this machine, if there is one.
    """

    data: Path
    host: str
    port: int
    previews: Path | None = None
    releases: str = ""
    memory: int = MEMORY
    visitors: KeylessLimits = field(default_factory=lambda: KeylessLimits(requests=0))
    ask_port: int | None = None


class ServingAudience(Protocol):
    """The receivers of messages; called in the event loop."""

    def listening(self, host: str, port: int) -> None:
        """Connections are accepted at this port."""

    def asking(self, host: str, port: int) -> None:
        """The TLS proxy may ask at this port."""

    def fault(self, text: str) -> None:
        """Something of a site, or of Twinpress, is wrong."""


async def serve(settings: ReadersSettings, audience: ServingAudience) -> None:
    """Serve until SIGINT or SIGTERM. Raises TwinpressError when there is no port to listen on."""
    stores = readers_stores(settings.releases, settings.data)
    stopped = stop_signal()
    if settings.releases:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(READS))
    relay = PreviewRelay(settings.previews)
    sites = LiveSites(stores)
    door = ReadersDoor(sites, ReaderAnswers(ObjectMemory(settings.memory)), relay, audience.fault)
    try:
        async with AsyncExitStack() as opened:
            if settings.ask_port is not None:
                app = web.AppRunner(certificate_app(door.hosts), access_log=None)
                asked = listening(app, CERTIFICATE_HOST, [settings.ask_port], "--ask-port")
                audience.asking(CERTIFICATE_HOST, await opened.enter_async_context(asked))
            runner = _runner(settings, door, audience)
            port = await opened.enter_async_context(listening(runner, settings.host, [settings.port]))
            audience.listening(settings.host, port)
            await stopped
    finally:
        await relay.close()


def _runner(settings: ReadersSettings, door: ReadersDoor, audience: ServingAudience) -> web.ServerRunner:
    wire = fitting(Wire(connections=CONNECTIONS, visitors=settings.visitors), audience.fault, EACH)
    return web.ServerRunner(
        Server(web.Server(door.answer), wire, audience.fault, _unlogged), shutdown_timeout=GOODBYE
    )


def _unlogged(_request: LoggedRequest) -> None:
    """Leave what was no request, or too much, out of the log: anybody can send it."""
