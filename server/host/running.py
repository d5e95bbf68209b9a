"""Run the service: listen, answer until told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

from aiohttp import web

from builder.errors import TwinpressError
from server.api.access import Access
from server.host.app import service_app, sites_app
from server.host.service import Service, service
from server.host.settings import HostSettings
from server.wire.runner import Runner
from server.wire.signals import stop_signal

GOODBYE = 5.0
"""Seconds that open requests get to come to an end."""


class Audience(Protocol):
    """Who is told what happens; called in the event loop."""

    def listening(self, what: str, host: str, port: int) -> None:
        """Connections for this are accepted at this port."""

    def fault(self, text: str) -> None:
        """Something could not be done, which is a fault of Twinpress."""

    def access(self, request: Access) -> None:
        """An API was asked for something."""


def run(settings: HostSettings, audience: Audience) -> None:
    """Serve until SIGINT or SIGTERM. Raises TwinpressError when the service cannot start.

    Within `interrupts.kept`, a signal ends it also while it starts; Interrupted is raised then.
    """
    # Outside of the event loop: within it, a signal during the start would be heard at its end.
    with service(settings) as made:
        asyncio.run(_serve(made, settings, audience))


async def _serve(made: Service, settings: HostSettings, audience: Audience) -> None:
    stopped = stop_signal()
    if stopped.done():
        return
    async with AsyncExitStack() as opened:
        app = service_app(made, audience.fault, audience.access)
        port = await opened.enter_async_context(_listening(app, settings.host, settings.port, audience))
        audience.listening("service", settings.host, port)
        if settings.sites_port is not None:
            sites = _listening(sites_app(audience.fault), settings.host, settings.sites_port, audience)
            audience.listening("sites", settings.host, await opened.enter_async_context(sites))
        await stopped


@asynccontextmanager
async def _listening(app: web.Application, host: str, port: int, audience: Audience) -> AsyncIterator[int]:
    runner = Runner(app, audience.fault, audience.access, GOODBYE)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            message = f"cannot listen on {host}, port {port}: {error.strerror or error}"
            raise TwinpressError(message, hint="choose another --host or --port") from None
        address: tuple[str, int] = runner.addresses[0][:2]
        yield address[1]
    finally:
        await runner.cleanup()
