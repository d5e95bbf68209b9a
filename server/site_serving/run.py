"""Run the process for readers: listen, answer until told to stop, or until another process has taken over."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from aiohttp import web
from msgspec import Struct, field

from builder.version import VERSION
from server.http import request_id
from server.http.connection_room import Wire
from server.http.keyless_limits import KeylessLimits
from server.http.listening import QUEUE, bound
from server.http.logged_request import LoggedRequest, client_of, shown
from server.http.request_log import RequestLog
from server.http.runner import Server, fitting
from server.http.stop_signals import stop_signal
from server.process import unix_socket
from server.process.confine import confine_to
from server.readers.reader_counts import ReaderCounts, counts_folder
from server.releases.bucket_address import files_to_connect
from server.releases.hosts import PREVIEW_PREFIX
from server.releases.site_stores import RELEASES, readers_stores
from server.site_serving.carers import Carers
from server.site_serving.certificate_answers import HOST as CERTIFICATE_HOST
from server.site_serving.certificate_answers import certificate_app
from server.site_serving.counted_readers import CountedReaders
from server.site_serving.live_sites import LiveSites
from server.site_serving.mcp_answers import McpAnswers
from server.site_serving.object_memory import MEMORY, ObjectMemory
from server.site_serving.preview_relay import PreviewRelay
from server.site_serving.read_counts import ReadCounts
from server.site_serving.reader_answers import ReaderAnswers
from server.site_serving.readers_door import ReadersDoor
from server.site_serving.serving_socket import FOLDER, PREVIEWS, ServingState, socket_of

SITES, METRICS, CERTIFICATES = "sites", "metrics", "certificates"
"""The sockets that the process may have, by what they are for."""
GOODBYE = 8.0
"""Seconds that requests get to come to their end."""
LINGER = 5.0
"""Seconds for which a process that is replaced answers on connections that it has: an end without a word
could cross a request."""
_LINGER_LOOK = 0.05
CONNECTIONS = 1_900
READS = 64
"""Requests to a bucket at a time, each of which waits in a thread."""
EACH = 2
"""Files that a connection may need: its own, and one to the service or of an object that is read."""
_REFUSED = 429
_FAULT = 500
AREA = "sites"

Sockets = Sequence[tuple[str, socket.socket]]
"""Sockets that listen, each with what it is for."""


class ReadersSettings(Struct, frozen=True):
    """The folder of the service's data, and the address to listen on. Of objects, `memory` bytes are kept.

    Releases are in the bucket at the address `releases`; with "" in the folder of the data. Without `data`,
    no service looks after the process, there are no previews, and readers are not counted.

    `identity` is that of a process that a service starts; with `outlives`, it goes on when that is killed.
    With `every_request`, each request is a line of the log, else only those that failed. With `analytics`,
    pages may ask the hosts of the statistics that their site names.
    """

    data: Path | None
    host: str
    port: int
    releases: str = ""
    memory: int = MEMORY
    visitors: KeylessLimits = field(default_factory=lambda: KeylessLimits(requests=0))
    identity: str = ""
    outlives: bool = True
    every_request: bool = False
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    ask_port: int | None = None
    analytics: bool = False


class ReadersAudience(Protocol):
    """The receivers of what happens among readers; called in the event loop."""

    def fault(self, text: str) -> None:
        """Something of a site, or of Twinpress, is wrong."""

    def access(self, request: LoggedRequest) -> None:
        """A reader has asked for something."""


class ServingAudience(ReadersAudience, Protocol):
    """The receivers of all messages of the process."""

    def listening(self, what: str, host: str, port: int) -> None:
        """Connections for this are accepted at this port."""


def open_sockets(
    settings: ReadersSettings, inherited: Mapping[str, Sequence[int]], option: str = "--port"
) -> Sockets:
    """Listen at all ports, but for those whose sockets another process has left to this one.

    Raises TwinpressError.
    """
    wanted = {SITES: (settings.host, settings.port, option)}
    if settings.metrics_port is not None:
        wanted[METRICS] = (settings.metrics_host, settings.metrics_port, "--metrics-port")
    if settings.ask_port is not None:
        wanted[CERTIFICATES] = (CERTIFICATE_HOST, settings.ask_port, "--ask-port")
    found: list[tuple[str, socket.socket]] = []
    for what, (host, port, named) in wanted.items():
        given = [socket.socket(fileno=each) for each in inherited.get(what, ())]
        kept = [each for each in given if port in {0, each.getsockname()[1]}]
        for each in given:
            if each not in kept:
                each.close()
        found.extend((what, each) for each in kept or bound(host, port, named))
    return found


def confine_readers(settings: ReadersSettings) -> None:
    """Give up all that readers need not: of the data, only releases can be read. Raises OSError."""
    readable, writable = [], []
    if settings.data is not None:
        writable.append(unix_socket.own_folder(settings.data / FOLDER))
        writable.extend(counts_folder(settings.data))
    if settings.releases:
        readable += files_to_connect()
    elif settings.data is not None:
        releases = settings.data / RELEASES
        with suppress(OSError):  # where there can be none yet, and nothing can be created
            releases.mkdir(0o700, parents=True, exist_ok=True)
        readable += [releases] if releases.exists() else []
    confine_to(readable, writable, connects=bool(settings.releases))


async def serve(settings: ReadersSettings, sockets: Sockets, audience: ServingAudience) -> None:
    """Serve until SIGINT or SIGTERM, until a service says so, or until another process has taken over."""
    stopped, counts = stop_signal(), ReadCounts()
    async with Readers(settings, counts, audience).answering(sockets) as readers:
        with _cared_for(settings, readers, sockets) as carers:
            for what, opened in dict(reversed(sockets)).items():
                audience.listening(what, *opened.getsockname()[:2])
            ends: set[asyncio.Future[Any]] = {stopped, *(each.ending for each in carers)}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for each in carers:
                each.hide()
                if each.ending.done() and each.ending.result() == "retire":
                    each.close()
                    await readers.retire()
            await readers.end()


@contextmanager
def _cared_for(settings: ReadersSettings, readers: Readers, sockets: Sockets) -> Iterator[Sequence[Carers]]:
    """Hear services while the block runs; without a folder of data, none finds this process."""
    if settings.data is None:
        yield ()
        return
    port: int = sockets[0][1].getsockname()[1]
    place = socket_of(settings.data, port)
    unix_socket.own_folder(place.parent)
    kinds, opened = tuple(what for what, _ in sockets), [each for _, each in sockets]
    with closing(
        Carers(place, lambda: readers.state(port, kinds), opened, outlives=settings.outlives)
    ) as carers:
        yield (carers,)


class Readers:
    """Answers readers at sockets, and counts what it does. For one event loop."""

    def __init__(self, settings: ReadersSettings, counts: ReadCounts, audience: ReadersAudience) -> None:
        self._settings = settings
        self._counts = counts
        self._log = RequestLog(audience.access)
        self._relay = PreviewRelay(settings.data / FOLDER / PREVIEWS if settings.data else None)
        sites = LiveSites(readers_stores(settings.releases, settings.data or Path()))
        memory, mcp = ObjectMemory(settings.memory), McpAnswers(settings.visitors.proxies)
        answers = ReaderAnswers(memory, mcp, analytics=settings.analytics)
        kept = ReaderCounts(settings.data) if settings.data else None
        self._counted = CountedReaders(kept, audience.fault)
        self._door = ReadersDoor(sites, answers, self._relay, self._counted, audience.fault)
        wire = fitting(Wire(connections=CONNECTIONS, visitors=settings.visitors), audience.fault, EACH)
        self._runner = web.ServerRunner(
            Server(web.Server(self._answer), wire, audience.fault, self._note), shutdown_timeout=GOODBYE
        )
        self._listeners: list[web.SockSite] = []
        self._accepting: list[socket.socket] = []
        self._retires = False

    @asynccontextmanager
    async def answering(self, sockets: Sockets) -> AsyncIterator[Readers]:
        """Answer at these sockets while the block runs; requests get GOODBYE at its end."""
        if self._settings.releases:
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(READS))
        await self._runner.setup()
        async with self._counted.writing():
            try:
                for what, opened in sockets:
                    if what == SITES:
                        self._listeners.append(web.SockSite(self._runner, opened, backlog=QUEUE))
                        await self._listeners[-1].start()
                        self._accepting.append(opened)
                async with _metrics(sockets, self.counts), self._certificates(sockets):
                    yield self
            finally:
                await self.end()

    @asynccontextmanager
    async def _certificates(self, sockets: Sockets) -> AsyncIterator[None]:
        """Answer the TLS proxy at its sockets, if there are any."""
        async with _at(CERTIFICATES, sockets, lambda: certificate_app(self._door.hosts)):
            yield

    async def retire(self) -> None:
        """Accept nothing more, and answer on the connections that there are, once on each."""
        self._retires = True
        for opened in self._accepting:
            asyncio.get_running_loop().remove_reader(opened)
        await asyncio.sleep(_LINGER_LOOK)  # asyncio drops what it has just accepted when its server is closed
        for each in self._listeners:
            await each.stop()
        self._listeners.clear()
        until = time.monotonic() + LINGER
        while self._open and time.monotonic() < until:
            await asyncio.sleep(_LINGER_LOOK)

    async def end(self) -> None:
        """Accept nothing more, and have requests come to their end. May be called again."""
        await self._runner.cleanup()
        await self._relay.close()

    @property
    def _open(self) -> int:
        return len(self._runner.server.connections) if self._runner.server else 0

    def counts(self) -> ReadCounts:
        """Return the counts as they are now."""
        self._counts.measure(self._open)
        return self._counts

    def state(self, port: int, sockets: tuple[str, ...]) -> ServingState:
        """Return how this process does."""
        own = self._settings
        return ServingState(os.getpid(), own.identity, VERSION, own.host, port, sockets, self.counts())

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        began = time.perf_counter()
        response = await self._door.answer(request)
        seconds, status = time.perf_counter() - began, response.status
        self._counts.note(status, seconds)
        if self._retires:
            response.force_close()
        if status >= _FAULT or self._settings.every_request:
            self._log(_logged(request, status, seconds))
        return response

    def _note(self, request: LoggedRequest) -> None:
        """Count what was no request, or too much; a line is worth only what was too much."""
        self._counts.note(request.status, request.seconds)
        if request.status == _REFUSED or request.status >= _FAULT or self._settings.every_request:
            self._log(request)


def _logged(request: web.BaseRequest, status: int, seconds: float) -> LoggedRequest:
    """Return a request as the log has it; neither what was searched for, nor the name of a preview."""
    host = request.headers.get("Host", "")
    is_preview = host.lower().startswith(PREVIEW_PREFIX)
    path = "(a preview)" if is_preview else shown(host + request.raw_path.partition("?")[0])
    id, client = request_id.fresh(), client_of(request)
    return LoggedRequest(id, request.method, path, status, seconds, "", area=AREA, client=client)


@asynccontextmanager
async def _metrics(sockets: Sockets, counts: Callable[[], ReadCounts]) -> AsyncIterator[None]:
    """Answer at the sockets for metrics, if there are any."""
    async with _at(METRICS, sockets, partial(_metrics_app, counts)):
        yield


def _metrics_app(counts: Callable[[], ReadCounts]) -> web.Application:
    # Loaded here, as in the service it is there, and most processes for readers have no such port.
    from server.site_serving.read_metrics import metrics_app  # noqa: PLC0415

    return metrics_app(counts)


@asynccontextmanager
async def _at(purpose: str, sockets: Sockets, app: Callable[[], web.Application]) -> AsyncIterator[None]:
    """Have an application answer at the sockets for a purpose, if there are any."""
    own = [opened for what, opened in sockets if what == purpose]
    if not own:
        yield
        return
    runner = web.AppRunner(app(), access_log=None)
    await runner.setup()
    try:
        for each in own:
            await web.SockSite(runner, each).start()
        yield
    finally:
        await runner.cleanup()
