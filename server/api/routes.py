"""The routes of the APIs of an application; nothing else may answer below `/api/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiohttp import web

from server.api import request as reading
from server.api.authentication import Api, Handler
from server.api.describe.openapi import document
from server.api.describe.table import DOCUMENT
from server.http import envelope
from server.http.api_target import PREFIX
from server.http.failure import Failure


def add_routes(app: web.Application, apis: Sequence[Api], prefix: str = PREFIX) -> None:
    """The endpoints of all these APIs, and the one document that describes them.

    No page answers below `prefix`.
    """
    for api in apis:
        for path, methods in endpoints(api).items():
            _add(app, api.group.address + path, methods)
        for path, handler in api.protocols.items():
            _add(app, api.group.address + path, {"POST": handler})
    app.router.add_get(DOCUMENT, _described(apis), allow_head=False, expect_handler=_later)
    app.router.add_route("*", DOCUMENT, _refuse_method("GET"), expect_handler=_later)
    for place in (prefix.rstrip("/"), prefix + "{rest:.*}"):
        app.router.add_route("*", place, nowhere(apis), expect_handler=_later)


def endpoints(api: Api) -> Mapping[str, Mapping[str, Handler]]:
    """Each path below the base with its methods, as the table has them."""
    return {
        path: {method: api.handlers[endpoint.operation] for method, endpoint in methods.items()}
        for path, methods in api.group.by_path().items()
    }


def nowhere(apis: Sequence[Api]) -> Handler:
    """Answers where there is no endpoint."""
    bases = " and ".join(f"`{api.group.address}`" for api in apis)

    async def refuse(request: web.Request) -> web.Response:
        message = f"there is no `{request.path[:200]}` here (the endpoints are below {bases})"
        raise Failure("NOT_FOUND", message)

    return refuse


def is_of_api(request: web.Request) -> bool:
    """Return whether an endpoint answers, and not the preview, for which `%2F` is no slash."""
    return f"{canonical(request)}/".startswith(PREFIX)


def canonical(request: web.Request) -> str:
    """The path of the route that a request has found, as it was added; "" for none."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""


def _add(app: web.Application, path: str, methods: Mapping[str, Handler]) -> None:
    known = {"HEAD": methods["GET"], **methods} if "GET" in methods else methods
    for method, handler in known.items():
        app.router.add_route(method, path, handler, expect_handler=_later)
    app.router.add_route("*", path, _refuse_method(", ".join(sorted(known))), expect_handler=_later)


def _described(apis: Sequence[Api]) -> Handler:
    """`GET /api/v1/openapi.json`: bare, and without a key."""
    encoded = envelope.ENCODER.encode(document([api.group for api in apis]))

    async def answer(request: web.Request) -> web.Response:
        reading.query(request)
        return envelope.answer(encoded)

    return answer


async def _later(_: web.Request) -> None:
    """`Expect: 100-continue` is answered when the body is wanted, which is after the key was checked."""


def _refuse_method(allowed: str) -> Handler:
    async def refuse(request: web.Request) -> web.Response:
        message = f"{request.method} is not possible here (but {allowed})"
        raise Failure("METHOD_NOT_ALLOWED", message, {"Allow": allowed})

    return refuse
