"""Published sites as a service has them served: by a process of its own, by itself, or not at all.

However it is, the service answers for previews, at a socket in the folder of its data: whoever serves sites
passes requests for them on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Literal, Protocol

from aiohttp import web
from msgspec.structs import replace

from builder.errors import TwinpressError
from server.http.logged_request import Log, LoggedRequest
from server.process import unix_socket
from server.service.host_settings import HostSettings, SitesProcessKind
from server.service.sites_process import LOOK, SILENCE, SitesProcess
from server.site_serving.read_counts import ReadCounts
from server.site_serving.run import SITES, Readers, ReadersSettings, open_sockets
from server.site_serving.serving_socket import FOLDER, PREVIEWS, ServingState, look, ports_of

Tell = Callable[[str], None]


class SitesServing(Protocol):
    """Serves published sites for a service, or leaves that to somebody else."""

    @property
    def kind(self) -> SitesProcessKind:
        """The kind of it."""

    def state(self) -> ServingState | None:
        """Return how it does; None while sites are not served."""

    def running(self, log: Log) -> AbstractAsyncContextManager[None]:
        """Have sites served while the block runs. Raises TwinpressError where that cannot be begun."""

    def leave(self) -> None:
        """Begin to end, before the block does: requests of readers come to their end meanwhile."""


def sites_serving(settings: HostSettings, tell: Tell) -> SitesServing:
    """Choose by the settings; `tell` is told what goes wrong."""
    kinds: Mapping[SitesProcessKind, Callable[[HostSettings, Tell], SitesServing]]
    kinds = {"own": _Own, "inside": _Inside, "none": _Elsewhere}
    return kinds[settings.sites_process](settings, tell)


class _Own:
    """A process of their own, which the service looks after."""

    kind: Literal["own"] = "own"

    def __init__(self, settings: HostSettings, tell: Tell) -> None:
        self._process = SitesProcess(settings, tell)
        self._settings = settings
        self._tell = tell

    def state(self) -> ServingState | None:
        """Return how the process did a moment ago."""
        return self._process.state()

    @asynccontextmanager
    async def running(self, _log: Log) -> AsyncIterator[None]:
        """Look after the process while the block runs; it writes lines of the log by itself."""
        async with self._process.running():
            await asyncio.to_thread(self._tell_of_others)
            yield

    def leave(self) -> None:
        """Let the process go."""
        self._process.leave()

    def _tell_of_others(self) -> None:
        """Tell of processes that a killed service has left at other ports: nobody else looks for them."""
        data, own = self._settings.data, self._settings.ports[1]
        for port in ports_of(data):
            with suppress(TwinpressError, OSError):
                if port != own and look(data, port, LOOK) is not None:
                    ends = f"`twinpress sites --data {data} --port {port} --stop` ends it"
                    self._tell(f"Another process serves the sites of this folder at port {port}; {ends}.")


class _Inside:
    """The service itself: there is one process less, and readers have nothing while the service is away."""

    kind: Literal["inside"] = "inside"

    def __init__(self, settings: HostSettings, tell: Tell) -> None:
        visitors = replace(settings.visitors, requests=0)
        port = settings.ports[1]
        self._settings = ReadersSettings(
            settings.data,
            settings.host,
            port,
            settings.releases,
            visitors=visitors,
            every_request=True,
            ask_port=settings.ask_port,
            analytics=settings.analytics,
        )
        self._counts = ReadCounts()
        self._tell = tell

    def state(self) -> ServingState:
        """Return how this process does."""
        own = self._settings
        return ServingState(0, "", "", own.host, own.port, (SITES,), self._counts)

    @asynccontextmanager
    async def running(self, log: Log) -> AsyncIterator[None]:
        """Answer readers while the block runs."""
        readers = Readers(self._settings, self._counts, _Inner(self._tell, log))
        async with readers.answering(open_sockets(self._settings, {}, "--sites-port")):
            measuring = asyncio.create_task(_measured(readers))
            try:
                yield
            finally:
                measuring.cancel()

    def leave(self) -> None:
        """Readers of this process are let go with all others."""


async def _measured(readers: Readers) -> None:
    """Take the counts now and then, as a service does that looks at another process."""
    while True:
        readers.counts()
        await asyncio.sleep(LOOK)


class _Inner:
    """Hears of readers where the service itself answers them."""

    def __init__(self, tell: Tell, log: Log) -> None:
        self.fault = tell
        self._log = log

    def access(self, request: LoggedRequest) -> None:
        """Have a request in the log of the service."""
        self._log(request)


class _Elsewhere:
    """Somebody else runs `twinpress sites`; the service looks how it does, where it knows its port."""

    kind: Literal["none"] = "none"

    def __init__(self, settings: HostSettings, _tell: Tell) -> None:
        self._settings = settings
        self._state: ServingState | None = None

    def state(self) -> ServingState | None:
        """Return how the process did a moment ago."""
        return self._state

    @asynccontextmanager
    async def running(self, _log: Log) -> AsyncIterator[None]:
        """Look at the process while the block runs."""
        watch = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch

    def leave(self) -> None:
        """There is nothing to let go of."""

    async def _watch(self) -> None:
        while True:
            self._state = await asyncio.to_thread(self._look)
            await asyncio.sleep(LOOK)

    def _look(self) -> ServingState | None:
        try:
            return look(self._settings.data, self._settings.ports[1], SILENCE)
        except (TwinpressError, OSError):
            return None


@asynccontextmanager
async def previews_listening(settings: HostSettings, runner: web.BaseRunner) -> AsyncIterator[None]:
    """Answer for previews while the block runs, at a socket that nobody but this user reaches."""
    unix_socket.own_folder(settings.data / FOLDER)
    folder = unix_socket.own_folder(settings.data / FOLDER / PREVIEWS)
    await asyncio.to_thread(unix_socket.forget_dead, folder)
    place = folder / f"{settings.ports[0]}.sock"
    await runner.setup()
    try:
        opened = unix_socket.listening_at(place)
        own = place.stat().st_ino
        await web.SockSite(runner, opened).start()
        try:
            yield
        finally:
            if place.exists() and place.stat().st_ino == own:
                place.unlink()
    finally:
        await runner.cleanup()
