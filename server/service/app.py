"""The web applications of the service: the APIs on one origin, published sites on another."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Middleware

from server.api.guard import Gate, api_guard
from server.api.routes import add_routes
from server.http import answers, envelope
from server.http.access import Log
from server.http.failure import Failure
from server.http.visitors import Visitors
from server.service.wiring import Service

HEALTH = "/healthz"
_STARTING = "the service is starting, or the database server cannot be reached"
_NOTHING = "There is no page here. The API is below /api/v1; /api/v1/openapi.json describes it.\n"
_NO_SITE = "No site is published here.\n"
Tell = Callable[[str], None]


def service_app(service: Service, tell: Tell, log: Log, visitors: Visitors) -> web.Application:
    """The APIs, and whether the service is ready."""
    # Whatever name the service is asked for under: a key that is sent with each request is no cookie.
    gate = Gate((service.api,), lambda _: True, log, tell, visit=visitors.visit)
    app = _app(tell, api_guard(gate))
    add_routes(app, (service.api,))
    app.router.add_get(HEALTH, _health(service))
    app.router.add_route("*", "/{path:.*}", _missing(_NOTHING))
    return app


def sites_app(tell: Tell) -> web.Application:
    """Published sites, on an origin of their own: no session of the service is ever valid there."""
    app = _app(tell)
    app.router.add_route("*", "/{path:.*}", _missing(_NO_SITE))
    return app


def _app(tell: Tell, *guards: Middleware) -> web.Application:
    app = web.Application(middlewares=[answers.fault_guard(tell), *guards, _no_resource])
    app.on_response_prepare.append(answers.add_headers)
    return app


@web.middleware
async def _no_resource(request: web.Request, handler: answers.Handler) -> web.StreamResponse:
    return answers.no_resource(request) or await handler(request)


def _health(service: Service) -> answers.Handler:
    async def answer(_: web.Request) -> web.Response:
        if service.is_ready():
            return envelope.success({"ready": True})
        return envelope.refusal(Failure("ENGINE_UNAVAILABLE", _STARTING, {"Retry-After": "1"}))

    return answer


def _missing(text: str) -> answers.Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=404, text=text)

    return answer
