"""Run the service: its web applications, which listen and answer until told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Middleware
from msgspec.structs import replace

from server.api.guard import Gate, api_guard
from server.api.routes import add_routes
from server.control.sqlite.saved_choice import keep
from server.dashboard.app import add_dashboard
from server.dashboard.desk import Desk
from server.dashboard.routes import ROUTES
from server.dashboard.service_address import ADDRESS, SIGN_UP
from server.databases.database_group import GROUP as DATABASES
from server.http import answers
from server.http.connection_room import Wire
from server.http.failure import Failure
from server.http.listening import check_free, listening
from server.http.logged_request import Log, LoggedRequest
from server.http.page_log import ANY, page_log
from server.http.request_log import RequestLog
from server.http.runner import Runner
from server.http.stop_signals import stop_signal
from server.releases.site_stores import SiteStores
from server.service.host_settings import HostSettings
from server.service.metrics import Metrics
from server.service.readiness import HEALTH, READY, Readiness
from server.service.wiring import Service, service
from server.site_previews.site_previews import SitePreviews
from server.site_serving.counted_readers import CountedReaders, counted_readers
from server.site_serving.live_sites import LiveSites
from server.site_serving.object_memory import MEMORY, ObjectMemory
from server.site_serving.preview_relay import PreviewRelay
from server.site_serving.reader_answers import ReaderAnswers
from server.site_serving.readers_door import ReadersDoor

_NOTHING = "There is no page here. The API is below /api/v1; /api/v1/openapi.json describes it.\n"
_NO_DATABASES = "this service has no databases: it was started with --no-databases"
Tell = Callable[[str], None]


def service_app(service: Service, tell: Tell, log: Log) -> web.Application:
    """The APIs, and whether the service is ready."""
    apis = (service.pages, service.hosting.api) if service.hosting else (service.pages,)
    absent = {} if service.hosting else {DATABASES.address: Failure("NOT_FOUND", _NO_DATABASES)}
    # Whatever name the service is asked for under: a key that is sent with each request is no cookie.
    gate = Gate(apis, lambda _: True, log, tell, visit=service.visitors.visit, absent=absent)
    files = {*service.desk.pages.files, HEALTH, READY}
    app = _bare_app(tell, page_log(log, "dashboard", files), api_guard(gate))
    add_routes(app, apis)
    Readiness(service).add_routes(app)
    add_dashboard(app, service.desk, ROUTES)
    if service.desk.address.is_secure:
        app.on_response_prepare.append(answers.keep_tls)
    app.router.add_route("*", ANY, _missing(_NOTHING))
    return app


def sites_app(
    previews: SitePreviews, releases: SiteStores, counted: CountedReaders, tell: Tell, log: Log
) -> web.Application:
    """Published sites and previews, on an origin of their own: no session of the service is ever valid there.

    A host whose name is none of a preview's is that of a published site, if it is one.
    """
    app = _bare_app(tell, page_log(log, "sites"))
    answers = ReaderAnswers(ObjectMemory(MEMORY))
    door = ReadersDoor(LiveSites(releases), answers, PreviewRelay(None), counted, tell)

    async def answer(request: web.Request) -> web.StreamResponse:
        is_preview = previews.is_preview(request)
        return await (previews.answer(request) if is_preview else door.answer(request))

    app.router.add_route("*", ANY, answer)

    async def close(_: web.Application) -> None:
        await previews.close()

    app.on_cleanup.append(close)
    return app


def _bare_app(tell: Tell, logged: Middleware, *guards: Middleware) -> web.Application:
    app = web.Application(middlewares=[logged, answers.fault_guard(tell), *guards, _no_resource])
    app.on_response_prepare.append(answers.add_headers)
    return app


@web.middleware
async def _no_resource(request: web.Request, handler: answers.Handler) -> web.StreamResponse:
    return answers.no_resource(request) or await handler(request)


def _missing(text: str) -> answers.Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=404, text=text)

    return answer


GOODBYE = 5.0
"""Seconds that open requests get to come to an end."""


SERVICE, SITES, METRICS = "--port", "--sites-port", "--metrics-port"


class ServiceAudience(Protocol):
    """The receivers of messages; called in the event loop."""

    def dashboard(self, address: str, *, creates: bool) -> None:
        """Browsers open this address; it `creates` the first account when there is none yet."""

    def listening(self, what: str, host: str, port: int) -> None:
        """Connections for this are accepted at this port."""

    def fault(self, text: str) -> None:
        """Something could not be done, which is a fault of Twinpress."""

    def access(self, request: LoggedRequest) -> None:
        """An API was asked for something."""


def run(settings: HostSettings, audience: ServiceAudience) -> None:
    """Serve until SIGINT or SIGTERM. Raises TwinpressError when the service cannot start.

    Within `interrupts.kept`, a signal ends it also while it starts; Interrupted is raised then.
    """
    # What takes some seconds is not begun for nothing. It listens when requests can be answered.
    ports = asyncio.run(_free_ports(settings))
    # They are known from now on: the service's is in links and cookies, that of sites in their addresses.
    settings = replace(settings, port=ports[SERVICE], sites_port=ports[SITES])
    # Outside of the event loop: within it, a signal during the start would be heard at its end.
    with service(settings, audience.fault) as made:
        _note_start(made.desk)
        first = first_address(made.desk)
        audience.dashboard(first or made.desk.address.origin, creates=bool(first))
        asyncio.run(_until_stopped(made, settings, audience))


def _note_start(desk: Desk) -> None:
    """Have commands that print links know where they lead."""
    keep(desk.database, ADDRESS, desk.address.origin)
    keep(desk.database, SIGN_UP, desk.sign_up)


def first_address(desk: Desk) -> str:
    """The address that creates the first account, which is the operator's; "" when there is an account."""
    if desk.accounts.list():
        return ""
    return desk.address.link(f"/first/{desk.links.create('first')}")


async def _free_ports(settings: HostSettings) -> dict[str, int]:
    return {option: await check_free(host, port, option) for option, (host, port) in _ports(settings).items()}


def _ports(settings: HostSettings) -> dict[str, tuple[str, int]]:
    """Return the addresses and ports to listen at, by the option that says so."""
    port, sites_port = settings.ports
    found = {
        METRICS: (settings.metrics_host, settings.metrics_port),
        SERVICE: (settings.host, port),
        SITES: (settings.host, sites_port),
    }
    return {option: (host, port) for option, (host, port) in found.items() if port is not None}


async def _until_stopped(made: Service, settings: HostSettings, audience: ServiceAudience) -> None:
    stopped = stop_signal()
    if not stopped.done():
        await serve(made, settings, audience, stopped)


async def serve(
    made: Service, settings: HostSettings, audience: ServiceAudience, stopped: asyncio.Future[None]
) -> None:
    """Listen and answer until it is stopped; then requests under way have GOODBYE seconds."""
    metrics, lines = Metrics(made), RequestLog(audience.access)

    def log(request: LoggedRequest) -> None:
        metrics.note(request)
        lines(request)

    async with counted_readers(settings.data, audience.fault) as counted, AsyncExitStack() as opened:
        for option, (host, port) in _ports(settings).items():
            if option == METRICS:
                what, app = "metrics", metrics.app()
            else:
                what, app = _app(option, made, counted, audience.fault, log)
            runner = Runner(app, audience.fault, log, GOODBYE, Wire(visitors=made.visitors))
            metrics.watch(what, runner)
            bound = await opened.enter_async_context(listening(runner, host, (port,), option))
            audience.listening(what, host, bound)
        await stopped


def _app(
    option: str, made: Service, counted: CountedReaders, tell: Tell, log: Log
) -> tuple[str, web.Application]:
    """Return the name and the application of this option's port."""
    if option == SITES:
        return "sites", sites_app(made.previews, made.releases, counted, tell, log)
    return "service", service_app(made, tell, log)
