"""The preview's web application.

A layer below `serving`, which starts and ends it: it knows requests alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from aiohttp import web
from aiohttp.typedefs import Middleware
from msgspec import Struct

from builder.errors import ThemeError
from builder.store import ContentStore
from server.api.guard import Visit, api_guard, closed_guard, uncounted
from server.api.routes import add_routes
from server.authoring.handlers import PREVIEW_ROOT, TAKE_PICTURE
from server.authoring.site_apis import LocalApi
from server.http import answers
from server.http.api_target import VERSIONS, is_versioned
from server.http.failure import Failure
from server.http.logged_request import Log
from server.mcp import card
from server.preview import host_guard, sending, viewers
from server.preview.pictures import PreviewPictures
from server.preview.reading_tools import PLACE, PreviewReading
from server.preview.site_answers import GONE, SiteAnswers, stopping
from server.preview.snapshot import SCRIPT, Snapshot
from server.preview.viewers import Live
from server.screenshots.browser_process import installed_browser
from server.screenshots.camera import Camera
from server.site_files import mime

BROWSER = Path(__file__).parent / "browser"
STYLE = "/_tp/reload.css"
SEARCH = "/_tp/live-search.js"
EVENTS = "/_tp/events"
CLOSED = "the authoring API could not be started; the terminal of the server says why"
_OF_HOST = ":[]"
BASE = "/{base:(?:.*/)?}"
"""Our own files answer below any base path: it may just have changed."""


class PreviewHandlers:
    """The handlers, over the current state in `live` and the files in `store`."""

    def __init__(self, live: Live, store: ContentStore, visit: Visit) -> None:
        self._live = live
        self._answers = SiteAnswers(live, store.open_file)
        self.pictures = PreviewPictures(live, self._answers, Camera(installed_browser))
        self.reading = PreviewReading(live, self._answers, store.open_file, visit)

    async def page(self, request: web.Request) -> web.StreamResponse:
        """A page or file of the site, as a static host would answer."""
        snapshot = await self._live.ready()
        if snapshot is None:
            raise stopping()
        if snapshot.is_outline and not await self._answers.has(request, snapshot):
            snapshot = await self._live.whole()  # nobody knows yet whether there is such a page
            if snapshot is None:
                raise stopping()
        if not snapshot.paths:
            return await self._own(request, "failed.html", 503)
        return await self._answers.page(request, snapshot)

    def root(self, request: web.Request) -> str:
        """Return the address of the site's root, at the host that the request names.

        "" before the first build: nobody knows where that will lie.
        """
        if not self._live.bases:
            return ""
        return f"{request.scheme}://{quote(request.host, safe=_OF_HOST)}{self._live.bases[-1]}"

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
            return (await self._answers.content(snapshot, output)).etag
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
    preview = PreviewHandlers(live, store, told.visit)
    gate = api.gate if api else None
    ours = api_guard(gate, is_versioned) if gate else _closed(host, told)
    app = web.Application(middlewares=[answers.fault_guard(told.tell), ours, host_guard.host_guard(host)])
    app.on_response_prepare.append(answers.add_headers)
    if gate:
        app[PREVIEW_ROOT] = preview.root
        app[TAKE_PICTURE] = preview.pictures.take
        add_routes(app, gate.apis, VERSIONS)
    for own in (SCRIPT, SEARCH, STYLE):
        app.router.add_get(BASE + own[1:], preview.own)
    app.router.add_get(BASE + EVENTS[1:], preview.events, allow_head=False)
    app.router.add_get(BASE + PLACE, preview.reading.get)
    app.router.add_post(BASE + PLACE, preview.reading.post)
    app.router.add_get(f"/{card.PATH}", preview.reading.card)
    app.router.add_get("/{path:.*}", preview.page)

    async def close(_: web.Application) -> None:
        live.close()

    app.on_shutdown.append(close)
    return app
