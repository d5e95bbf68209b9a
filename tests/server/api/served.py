"""Both APIs of `boats` in one application: who knows their keys, who answers, and a server of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any
from urllib.parse import unquote

import msgspec
from aiohttp import web
from msgspec import Struct

from server.api import request as reading
from server.api.authentication import Api
from server.api.guard import Gate, api_guard
from server.api.routes import add_routes
from server.http import envelope
from server.http.failure import Failure
from server.http.limits import AtOnce, BodyLimits, RateLimit
from server.http.logged_request import LoggedRequest
from tests.server.api.boats import BOATS, DESCRIBED, HARBOURS, Boat, Harbour, Opening
from tests.server.http_client import request as http_request
from tests.waiting import PATIENCE

OFTEN = 40
"""Requests for harbours that a key may make in a minute; boats may be asked for without limit."""


class Holder(Struct, frozen=True):
    """Whose key it is; each kind of key has a record of its own."""

    id: str
    of: str


BOAT_KEY = web.RequestKey("boat_key", Holder)
HARBOUR_KEY = web.RequestKey("harbour_key", Holder)


class WordDoor(Struct, frozen=True):
    """Knows keys by their first word; the one that ends with `off` is disabled."""

    word: str
    place: web.RequestKey[Holder]
    most: int
    rate: RateLimit
    at_once: AtOnce = msgspec.field(default_factory=AtOnce)

    def check(self, text: str) -> Holder:
        """Return the holder of the key."""
        if not text.startswith(self.word):
            raise Failure("BAD_KEY", f"this is no key of {self.word}s")
        if text.endswith("off"):
            raise Failure("KEY_DISABLED", f"this key of {self.word}s is disabled")
        return Holder(text, self.word)

    @contextmanager
    def request(self, record: Holder) -> Iterator[None]:
        """Count one request."""
        self.rate.take(record.id, self.most)
        with self.at_once.one(record.id, 5):
            yield

    def named(self, record: Holder) -> str:
        """For the log."""
        return f"{record.of}…"


class Boats(Struct, frozen=True):
    """The endpoint of the boats."""

    async def boat(self, request: web.Request) -> web.Response:
        """The boat of who asks."""
        reading.query(request)
        return envelope.success(Boat(request[BOAT_KEY].id), headers={"ETag": '"1"'})


class Harbours(Struct, frozen=True):
    """The endpoints of the harbours."""

    threads: ThreadPoolExecutor

    async def harbour(self, request: web.Request) -> web.Response:
        """The one that is asked for."""
        assert request[HARBOUR_KEY].of == "harbour"
        return envelope.success(Harbour(request.match_info["id"]))

    async def close(self, request: web.Request) -> web.Response:
        """Never."""
        raise Failure("DASHBOARD_ONLY", "ask a person")

    async def open(self, request: web.Request) -> web.Response:
        """A new one."""
        asked = await reading.body(request, Opening, BodyLimits(), self.threads, absent=b"{}")
        return envelope.success(Harbour(asked.name), 201)


@dataclass(slots=True)
class Server:
    """The application with both APIs, and its log."""

    port: int = 0
    log: list[LoggedRequest] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def ask(
        self, method: str, path: str, key: str = "", body: bytes | None = None
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON of an answer, which must be as the document says."""
        sent = [("Authorization", f"Bearer {key}")] if key else []
        status, headers, data = http_request(self.port, method, path, sent, body)
        DESCRIBED.check(method, unquote(path), status, headers, data)
        return status, headers, json.loads(data)


@contextmanager
def both() -> Iterator[Server]:
    """The application, in a thread."""
    server, ready = Server(), Event()
    ends: list[Callable[[], object]] = []
    thread = Thread(target=lambda: asyncio.run(_serve(server, ready, ends)))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield server
    finally:
        for end in ends:
            end()
        thread.join()
    assert not server.faults


async def _serve(server: Server, ready: Event, ends: list[Callable[[], object]]) -> None:
    stopped = asyncio.Event()
    with ThreadPoolExecutor(1) as threads:
        coast = Harbours(threads)
        harbours = {"harbour": coast.harbour, "close": coast.close, "open": coast.open}
        apis = (
            Api(BOATS, WordDoor("boat", BOAT_KEY, 0, RateLimit()), {"boat": Boats().boat}),
            Api(HARBOURS, WordDoor("harbour", HARBOUR_KEY, OFTEN, RateLimit(lambda: 0.0)), harbours),
        )
        gate = Gate(apis, lambda _: True, server.log.append, server.faults.append)
        app = web.Application(middlewares=[api_guard(gate)])
        add_routes(app, apis)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.port = runner.addresses[0][1]
        loop = asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(stopped.set))
        ready.set()
        await stopped.wait()
        await runner.cleanup()
