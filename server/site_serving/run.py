"""Run the process for readers: listen, answer until told to stop."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
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
from server.releases.site_stores import SiteStores, readers_stores
from server.site_serving.counted_readers import CountedReaders, counted_readers
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
    `memory` bytes are kept. With `counts`, readers are counted in the folder.
    """

    data: Path
    host: str
    port: int
    previews: Path | None = None
    releases: str = ""
    counts: bool = True
    memory: int = MEMORY
    visitors: KeylessLimits = field(default_factory=lambda: KeylessLimits(requests=0))


class ServingAudience(Protocol):
    """The receivers of messages; called in the event loop."""

    def listening(self, host: str, port: int) -> None:
        """Connections are accepted at this port."""

    def fault(self, text: str) -> None:
        """Something of a site, or of Twinpress, is wrong."""


async def serve(settings: ReadersSettings, audience: ServingAudience) -> None:
    """Serve until SIGINT or SIGTERM. Raises TwinpressError when there is no port to listen on."""
    stores = readers_stores(settings.releases, settings.data)
    stopped = stop_signal()
    if settings.releases:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(READS))
    relay = PreviewRelay(settings.previews)
    try:
        async with counted_readers(settings.data if settings.counts else None, audience.fault) as counted:
            runner = _runner(settings, stores, relay, counted, audience)
            async with listening(runner, settings.host, [settings.port]) as port:
                audience.listening(settings.host, port)
                await stopped
    finally:
        await relay.close()


def _runner(
    settings: ReadersSettings,
    stores: SiteStores,
    relay: PreviewRelay,
    counted: CountedReaders,
    audience: ServingAudience,
) -> web.ServerRunner:
    answers = ReaderAnswers(ObjectMemory(settings.memory))
    door = ReadersDoor(LiveSites(stores), answers, relay, counted, audience.fault)
    wire = fitting(Wire(connections=CONNECTIONS, visitors=settings.visitors), audience.fault, EACH)
    return web.ServerRunner(
        Server(web.Server(door.answer), wire, audience.fault, _unlogged), shutdown_timeout=GOODBYE
    )


def _unlogged(_request: LoggedRequest) -> None:
    """Leave what was no request, or too much, out of the log: anybody can send it."""
