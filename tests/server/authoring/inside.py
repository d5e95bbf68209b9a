"""The server in a thread of the test: real sockets, and limits, clocks and log lines within reach."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from aiohttp import web
from msgspec.structs import replace

from builder.store import ContentStore
from server.authoring.site_apis import ServerContext, local_api
from server.authoring.site_key_limits import ClientLimits
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.local_database import local_database
from server.http.connection_room import Wire
from server.http.logged_request import LoggedRequest
from server.http.runner import Runner
from server.preview import host_guard
from server.preview.app import Listeners, make_app
from server.preview.viewers import Live
from tests.server.api.raw import Raw, read
from tests.waiting import PATIENCE, until

BASE = "/api/v1/pages"
WIRE = Wire()
UNLIMITED = ClientLimits(requests=dict.fromkeys(KeyKind, 0))


@dataclass(slots=True)
class Hosted:
    """A running server; `long` and `short` are good keys of its site."""

    port: int
    keys: SiteKeys
    site: str
    long: str
    short: str
    log: list[LoggedRequest] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def head(self, line: bytes = b"PUT /api/v1/pages/ai/page HTTP/1.1", *headers: bytes) -> bytes:
        """The beginning of a request with a good key, without the empty line that ends the headers."""
        own = (b"Host: localhost", f"Authorization: Bearer {self.long}".encode(), *headers)
        return b"".join(each + b"\r\n" for each in (line, *own))

    def raw(self, data: bytes) -> Raw:
        """Send bytes and give the first answer to them."""
        with self.connect() as connection:
            connection.sendall(data)
            return read(connection, bodiless=data.startswith(b"HEAD "))

    def ask(self, method: str, target: str, key: str = "", body: bytes | None = None, **headers: str) -> Raw:
        """One request, with the target as it stands."""
        sent = {"Host": "localhost", "Connection": "close"}
        sent |= {"Authorization": f"Bearer {key}"} if key else {}
        sent |= {"Content-Length": str(len(body)), "Content-Type": "application/json"} if body else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in sent.items() if value),
        ]
        return self.raw("\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + (body or b""))

    def logged(self, count: int) -> list[LoggedRequest]:
        """The log, once it has that many lines."""
        until(lambda: len(self.log) >= count)
        return self.log


@contextmanager
def hosted(
    root: Path,
    limits: ClientLimits = UNLIMITED,
    wire: Wire = WIRE,
    clock: Callable[[], float] = time.time,
) -> Iterator[Hosted]:
    """The API of the site in `root`."""
    ready, made, stop = Event(), [], []
    with local_database(root) as database:
        thread = Thread(
            target=lambda: asyncio.run(_serve(root, database, limits, wire, clock, made, stop, ready))
        )
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            (server,) = made
            yield server
        finally:
            for end in stop:
                end()
            thread.join()
    assert not server.faults, server.faults


async def _serve(root, database: ControlDatabase, limits, wire, clock, made, stop, ready) -> None:
    site = local_site(database)
    keys = SiteKeys(database, clock)
    long, short = (keys.create(kind, site).text for kind in (KeyKind.LONG_LIVED, KeyKind.ONE_OFF))
    server = Hosted(0, keys, site, long, short)
    live, stopped, loop = Live(), asyncio.Event(), asyncio.get_running_loop()
    around = ServerContext(
        allowed=lambda request: host_guard.known(request, "127.0.0.1"),
        changed=lambda _: None,
        log=server.log.append,
        tell=server.faults.append,
        visit=wire.visitors.visit,
    )
    try:
        with ContentStore(root) as store, local_api(root, around, limits=limits) as api:
            ours = replace(api, authentication=replace(api.authentication, keys=keys))
            app = make_app(live, store, "127.0.0.1", Listeners(server.faults.append, server.log.append), ours)
            runner = Runner(app, server.faults.append, server.log.append, 3.0, wire)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            server.port = runner.addresses[0][1]
            made.append(server)
            stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
            ready.set()
            await stopped.wait()
            await runner.cleanup()
    finally:
        keys.close()
        ready.set()
