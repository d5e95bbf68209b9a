"""The preview's web application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Middleware
from msgspec import Struct

from builder.errors import StorageError, ThemeError
from builder.preview import SEARCH_FOLDER, Later
from builder.store import ContentStore
from server.api.guard import Visit, api_guard, closed_guard, uncounted
from server.api.routes import add_routes
from server.authoring.local_api import LocalApi
from server.http import answers
from server.http.failure import Failure
from server.http.logged_request import Log
from server.preview import host_guard, mime, negotiation, sending, viewers
from server.preview.routing import Route, answer, former
from server.preview.snapshot import SCRIPT, Snapshot
from server.preview.viewers import Live

BROWSER = Path(__file__).parent / "browser"
STYLE = "/_tp/reload.css"
SEARCH = "/_tp/live-search.js"
EVENTS = "/_tp/events"
CLOSED = "the authoring API could not be started; the terminal of the server says why"
STOPPING = "The preview is stopping.\n"
BASE = "/{base:(?:.*/)?}"
"""Our own files answer below any base path: it may just have changed."""

GONE = (FileNotFoundError, StorageError)
"""What the store says of a file that is not there any more, or is something else now."""


class PreviewHandlers:
    """The handlers, over the current state in `live` and the files in `store`."""

    def __init__(self, live: Live, store: ContentStore) -> None:
        self._live = live
        self._store = store

    async def page(self, request: web.Request) -> web.StreamResponse:
        """A page or file of the site, as a static host would answer."""
        snapshot = await self._live.ready()
        if snapshot is None:
            raise web.HTTPServiceUnavailable(text=STOPPING)
        if not snapshot.paths:
            return await self._own(request, "failed.html", 503)
        place = answer(request.path, snapshot.paths, snapshot.base)
        if place is None or (isinstance(place, Route) and place.status == 404):
            moved = former(request.path, snapshot.paths, self._live.bases)
            place = moved or await self._shard(request, snapshot) or place
        if place is None:
            return await self._missing(request, snapshot, "There is no page at this address.")
        if isinstance(place, Route):
            return await self._found(request, snapshot, place)
        query = f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""
        raise web.HTTPPermanentRedirect(place.location + query)

    async def _found(self, request: web.Request, snapshot: Snapshot, place: Route) -> web.StreamResponse:
        if place.status == 404 and negotiation.markdown_wanted(request):
            return await self._missing(request, snapshot, "There is no page at this address.")
        form = negotiation.form(request, place, snapshot)
        try:
            body = await self.content(snapshot, form.output)
        except GONE:
            says = "The file was there at the last build, but is gone."
            return await self._missing(request, snapshot, says)
        except ThemeError as error:
            return await self._missing(request, snapshot, f"{error.path}: {error.message}")
        headers = form.headers
        if form.output in snapshot.output.copied:
            headers = {**headers, **snapshot.confinement.headers(form.output)}
            body = snapshot.confinement.content(body, form.output)
        return await sending.send(request, body, place.status, headers)

    async def _missing(self, request: web.Request, snapshot: Snapshot, says: str) -> web.StreamResponse:
        """An answer of ours where the site's own not-found page does not serve."""
        body, headers = negotiation.missing(request, snapshot, says)
        return await sending.send(request, body, 404, headers)

    async def _shard(self, request: web.Request, snapshot: Snapshot) -> Route | None:
        """A file of the search, which is not known before it is made."""
        output = request.path.removeprefix(f"{snapshot.base}/")
        if not output.startswith(SEARCH_FOLDER):
            return None
        try:
            await self.content(snapshot, output)
        except GONE:
            return None
        return Route(output)

    async def content(self, snapshot: Snapshot, output: str) -> sending.Content:
        """Return the content at an output path of the snapshot; raises one of GONE when it is gone."""
        kind = mime.content_type(output)
        file = snapshot.output.copied.get(output)
        if file is not None:
            return await asyncio.to_thread(sending.of_file, lambda: self._store.open_file(file), kind)
        data = await asyncio.wrap_future(snapshot.output.ask(output))
        if isinstance(data, Later):
            data = (await asyncio.to_thread(data.files)).get(output)
        if data is None and self._live.closed:
            raise web.HTTPServiceUnavailable(text=STOPPING)
        if data is None:
            raise FileNotFoundError(output)
        return sending.of_bytes(data, kind)

    async def own(self, request: web.Request) -> web.StreamResponse:
        """The scripts and the style sheet of the preview itself."""
        return await self._own(request, request.path.rpartition("/")[2], 200)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """The one event stream: the state of the page that asks, after every build."""
        if not host_guard.same_origin(request):
            raise web.HTTPForbidden(text="Only pages of this preview may listen.\n")
        answered = viewers.now if "now" in request.query else viewers.stream
        return await answered(request, self._live, self._version)

    async def _version(self, snapshot: Snapshot, output: str) -> str:
        try:
            return (await self.content(snapshot, output)).etag
        except (*GONE, ThemeError):
            return ""

    async def _own(self, request: web.Request, name: str, status: int) -> web.StreamResponse:
        data = (BROWSER / name).read_bytes()
        return await sending.send(request, sending.of_bytes(data, mime.content_type(name)), status)


class Listeners(Struct, frozen=True):
    """Whom to tell: `tell` of faults of ours, `log` of requests to the API, `visit` of those with no key."""

    tell: Callable[[str], None]
    log: Log
    visit: Visit = uncounted


def _closed(host: str, told: Listeners) -> Middleware:
    return closed_guard(
        Failure("INTERNAL", CLOSED), lambda request: host_guard.known(request, host), told.log, told.visit
    )


def make_app(
    live: Live, store: ContentStore, host: str, told: Listeners, api: LocalApi | None = None
) -> web.Application:
    """The application for one site, with its authoring API if that could be started.

    `host` is the address it is bound to.
    """
    preview = PreviewHandlers(live, store)
    gate = api.gate if api else None
    ours = api_guard(gate) if gate else _closed(host, told)
    app = web.Application(middlewares=[answers.fault_guard(told.tell), ours, host_guard.host_guard(host)])
    app.on_response_prepare.append(answers.add_headers)
    if gate:
        add_routes(app, gate.apis)
    for own in (SCRIPT, SEARCH, STYLE):
        app.router.add_get(BASE + own[1:], preview.own)
    app.router.add_get(BASE + EVENTS[1:], preview.events, allow_head=False)
    app.router.add_get("/{path:.*}", preview.page)

    async def close(_: web.Application) -> None:
        live.close()

    app.on_shutdown.append(close)
    return app
