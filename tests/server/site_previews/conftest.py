"""The origin of sites over real HTTP, with real processes that show them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from msgspec import Struct, field

from server.control.accounts.account import Account
from server.control.preview_addresses import PreviewAddresses
from server.control.sealing import open_keyring
from server.control.sign_in.browser_sessions import BrowserSession, BrowserSessions
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.dashboard.service_address import service_address
from server.http.listening import listening
from server.http.logged_request import LoggedRequest
from server.http.runner import Runner
from server.service.host_settings import HostSettings
from server.service.run import previews_app
from server.service.sites_serving import previews_listening
from server.site_previews.limits import PreviewLimits
from server.site_previews.site_previews import SitePreviews
from server.site_previews.site_workers import SiteFolder
from server.site_previews.sites_origin import sites_origin
from server.site_serving.read_counts import ReadCounts
from server.site_serving.run import Readers, ReadersSettings, open_sockets
from tests.ports import free_port
from tests.server.commands import Answer
from tests.server.control.clock import Clock
from tests.server.control.people import accounts
from tests.server.http_client import request
from tests.sites import Files, write_site
from tests.waiting import PATIENCE, until

SITE = {
    "site.yml": "title: Boats\n",
    "docs/index.md": "# Harbour\n\nSee [the draft](draft.md).\n",
    "docs/draft.md": "---\ndraft: true\n---\n# Tides\n\nNot yet.\n",
    "static/chart.txt": "depths\n",
}
T = TypeVar("T")


class Origin(Struct):
    """The origin of sites, and what the service knows. `faults` are what it would have said.

    The service itself shows `desk` as each of its pages.
    """

    port: int
    service: str
    data: Path
    database: ControlDatabase
    addresses: PreviewAddresses
    sessions: BrowserSessions
    previews: SitePreviews
    clock: Clock
    loop: asyncio.AbstractEventLoop
    faults: list[str] = field(default_factory=list)
    desk: str = ""
    lines: list[LoggedRequest] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Hear of what is wrong."""
        self.faults.append(text)

    def access(self, request: LoggedRequest) -> None:
        """Hear of a reader; only those of previews are kept."""

    def account(self, email: str = "ada@example.org") -> Account:
        """A new account."""
        return accounts(self.database).create(email, "four words that are odd")

    def session(self, owner: Account | None = None) -> BrowserSession:
        """A new session."""
        return self.sessions.begin((owner or self.account()).id).session

    def site(self, id: str, files: Files = SITE) -> Path:
        """A new site; gives its folder."""
        self.database.write("INSERT INTO sites (id, created_at) VALUES (?, 1)", (id,))
        return write_site(self.data / "sites" / id, files)

    def host(self, session: BrowserSession, site: str) -> str:
        """The host name of a preview, with its port."""
        return urlsplit(self.previews.address(session.id, site)).netloc

    def preview(self, id: str = "boats", files: Files = SITE) -> str:
        """The host name of the preview of a new site, for somebody."""
        self.site(id, files)
        return self.host(self.session(self.account(f"{id}@example.org")), id)

    def ask(self, host: str, path: str = "/docs/", method: str = "GET", **headers: str) -> Answer:
        """One request."""
        sent = [("Host", host), *((name.replace("_", "-"), value) for name, value in headers.items())]
        return Answer(*request(self.port, method, path, sent))

    def do(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Begin something in the service's own event loop."""
        return asyncio.run_coroutine_threadsafe(work(), self.loop)

    def running(self) -> dict[str, int]:
        """The processes by the ids of their sites."""
        return self.previews.workers.running


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[Origin]:
    with serving(tmp_path / "data") as found:
        yield found


@contextmanager
def serving(data: Path, **limits: Any) -> Iterator[Origin]:
    """The origin on a data folder; what it holds to are `limits`."""
    port, beside, clock, faults = free_port(), free_port(), Clock(), list[str]()
    with closing(open_data(data)) as database, closing(BrowserSessions(database, clock)) as sessions:
        addresses = PreviewAddresses(database, open_keyring(database, data), clock)
        service = service_address(f"http://localhost:{beside}")

        def locate(site: str) -> SiteFolder | None:
            root = data / "sites" / site
            return SiteFolder(root, "free") if root.exists() else None

        previews = SitePreviews(
            addresses,
            sites_origin(f"http://localhost:{port}", service),
            service=service,
            locate=locate,
            tell=faults.append,
            limits=PreviewLimits(**limits),
        )
        loop = asyncio.new_event_loop()
        found = Origin(
            port, service.origin, data, database, addresses, sessions, previews, clock, loop, faults
        )
        with served(_answering(found, beside), loop):
            yield found
    until(lambda: not previews.workers.running)


@asynccontextmanager
async def _answering(origin: Origin, beside: int) -> AsyncIterator[None]:
    """Readers at the port of sites, previews at the socket that they are passed on to, and the service."""
    settings = ReadersSettings(origin.data, "127.0.0.1", origin.port)
    readers = Readers(settings, ReadCounts(), origin)
    tell = origin.faults.append
    previews = previews_app(origin.previews, tell, origin.lines.append)
    own = Runner(previews, tell, origin.lines.append, 1.0)
    desk = web.AppRunner(desk_app(origin))
    async with (
        previews_listening(HostSettings(origin.data), own),
        readers.answering(open_sockets(settings, {})),
        listening(desk, "127.0.0.1", [beside]),
    ):
        yield


def desk_app(origin: Origin) -> web.Application:
    """A page of the service, as the test wants it."""

    async def show(_: web.Request) -> web.Response:
        return web.Response(text=origin.desk, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", show)
    return app


@contextmanager
def served(answering: AbstractAsyncContextManager[None], loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Answer in a thread with a loop of its own."""
    ready, stop = Event(), asyncio.Event()

    async def serve() -> None:
        async with answering:
            ready.set()
            await stop.wait()

    thread = Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
