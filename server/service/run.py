"""Run the service: its web applications, which listen and answer until told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Middleware
from msgspec.structs import replace

from builder.errors import TwinpressError
from server.api.guard import Gate, api_guard
from server.api.routes import add_routes
from server.control.sqlite.saved_choice import keep
from server.dashboard.app import add_dashboard, nowhere
from server.dashboard.desk import Desk
from server.dashboard.routes import ROUTES
from server.dashboard.service_address import ADDRESS, SIGN_UP
from server.databases.database_group import GROUP as DATABASES
from server.http import answers
from server.http.connection_room import Wire
from server.http.failure import Failure
from server.http.listening import free_ports, listening
from server.http.logged_request import Log, LoggedRequest
from server.http.page_log import ANY, page_log
from server.http.request_log import RequestLog
from server.http.runner import Runner
from server.http.stop_signals import stop_signal
from server.service.host_settings import HostSettings
from server.service.metrics import Metrics
from server.service.readiness import HEALTH, READY, Readiness
from server.service.sites_serving import previews_listening
from server.service.wiring import Service, service
from server.site_previews.site_previews import SitePreviews
from server.site_serving.certificate_answers import HOST as CERTIFICATE_HOST
from server.site_serving.run import CERTIFICATES
from server.site_serving.serving_socket import NoAnswer, look

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
    app.router.add_route("*", ANY, nowhere(service.desk))
    return app


def previews_app(previews: SitePreviews, tell: Tell, log: Log) -> web.Application:
    """Previews, for whoever serves sites: at their origin, no session of the service is ever valid."""
    app = _bare_app(tell, page_log(log, "previews"))
    app.router.add_route("*", ANY, previews.answer)

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


GOODBYE = 5.0
"""Seconds that open requests get to come to an end."""


SERVICE, SITES, METRICS = "--port", "--sites-port", "--metrics-port"
_LOOK = 2.0
"""Seconds in which a process that serves the sites of the folder answers."""


class ServiceAudience(Protocol):
    """The receivers of messages; called in the event loop."""

    def dashboard(self, address: str, *, creates: bool) -> None:
        """Browsers open this address; it `creates` the first account when there is none yet."""

    def listening(self, what: str, host: str, port: int) -> None:
        """Connections for this are accepted at this port."""

    def started(self) -> None:
        """All is there."""

    def fault(self, text: str) -> None:
        """Something could not be done, which is a fault of Twinpress."""

    def access(self, request: LoggedRequest) -> None:
        """An API was asked for something."""


def run(settings: HostSettings, audience: ServiceAudience) -> None:
    """Serve until SIGINT or SIGTERM. Raises TwinpressError when the service cannot start.

    Within `interrupts.kept`, a signal ends it also while it starts; Interrupted is raised then.
    """
    # What takes some seconds is not begun for nothing. It listens when requests can be answered.
    ports = _free_ports(settings)
    # They are known from now on: the service's is in links and cookies, that of sites in their addresses.
    # Nobody would look for a process of sites at a port that any other start would not choose again.
    outlives = settings.sites_outlive and settings.ports[1] != 0
    sites_port = ports.get(SITES, settings.ports[1])
    settings = replace(settings, port=ports[SERVICE], sites_port=sites_port, sites_outlive=outlives)
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


def _free_ports(settings: HostSettings) -> dict[str, int]:
    ports = _ports(settings)
    if settings.sites_process == "none":
        del ports[SITES]
    elif _are_served(settings):
        _check_adoptable(settings)
        del ports[SITES]
    return free_ports(ports)


def _are_served(settings: HostSettings) -> bool:
    """Return whether a process for readers of this folder is at the port."""
    try:
        return look(settings.data, settings.ports[1], _LOOK) is not None
    except (NoAnswer, OSError):  # it hangs, and will be ended; nobody else can have the port
        return True


def _check_adoptable(settings: HostSettings) -> None:
    """Raise TwinpressError where the service is to serve sites by itself."""
    if settings.sites_process == "inside":
        port, data = settings.ports[1], settings.data
        message = f"another process serves the sites of this folder at port {port}"
        hint = f"end it: twinpress sites --data {data} --port {port} --stop"
        raise TwinpressError(message, path=str(data), hint=hint)


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

    def runner(what: str, app: web.Application) -> Runner:
        found = Runner(app, audience.fault, log, GOODBYE, Wire(visitors=made.visitors))
        metrics.watch(what, found)
        return found

    async with AsyncExitStack() as opened:
        ports = _ports(settings)
        sites = ports.pop(SITES)
        apps = {METRICS: metrics.app(), SERVICE: service_app(made, audience.fault, log)}
        # Readers are the first to have what they want, and the last to lose it.
        await opened.enter_async_context(made.sites.running(lines))
        previews = runner("previews", previews_app(made.previews, audience.fault, log))
        await opened.enter_async_context(previews_listening(settings, previews))
        for option, (host, port) in ports.items():
            what = _NAMES[option]
            ready = listening(runner(what, apps[option]), host, (port,), option)
            audience.listening(what, host, await opened.enter_async_context(ready))
        if made.sites.kind != "none":
            audience.listening("sites", *sites)
            if settings.ask_port is not None:
                audience.listening(CERTIFICATES, CERTIFICATE_HOST, settings.ask_port)
        audience.started()
        await stopped
        made.sites.leave()


_NAMES = {METRICS: "metrics", SERVICE: "service"}
