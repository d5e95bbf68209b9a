"""Hosts of previews: passed on to the service over a socket, without cookies, or told that it is away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from server.process import unix_socket
from tests.server.site_serving.asking import connection, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.waiting import PATIENCE, until

PREVIEW = "preview-abcdef.localhost"
BIG = bytes(range(256)) * 8192


class Service:
    """A stand-in for the service: it keeps what it was asked, and streams."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.go_on = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer by the address."""
        names = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append({**names, "target": request.raw_path, "method": request.method})
        answers = {"/big": self._big, "/slow": self._slow, "/broken": self._broken}
        if request.path in answers:
            return await answers[request.path](request)
        headers = {"Set-Cookie": "a=1", "X-Robots-Tag": "noindex", "Content-Encoding": "br", "ETag": '"e"'}
        return web.Response(status=203, body=b"shown", headers=headers)

    async def _big(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=BIG)

    async def _slow(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first")
        await self.go_on.wait()
        await response.write(b"second")
        return response

    async def _broken(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"first")
        request.transport.abort()
        return response


@contextmanager
def _listening(place: Path) -> Iterator[tuple[Service, asyncio.AbstractEventLoop]]:
    loop, ready, service = asyncio.new_event_loop(), threading.Event(), Service()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", service.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.UnixSite(runner, str(place)).start())
        loop.call_soon(ready.set)
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield service, loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "serving/previews"
    folder.mkdir(parents=True)
    return folder / "8080.sock"


@pytest.fixture
def readers(tmp_path, place):
    publish(release_store(tmp_path), {"index.html": b"page"})
    mount(tmp_path, {HOST: SITE})
    with serving_sites(tmp_path) as running:
        yield running


def test_a_preview_is_shown_by_the_service_without_cookies(readers, place):
    with _listening(place) as (service, _):
        more = {"Cookie": "session=1", "Accept": "text/html", "X_Own": "1", "X_Forwarded_For": "10.0.0.7"}
        found = readers.get("/docs/%C3%BC?a=%20b", PREVIEW, **more)
        assert (found.status, found.body) == (203, b"shown")
        assert found.headers["content-encoding"] == "br"
        assert found.headers["etag"] == '"e"'
        assert "set-cookie" not in found.headers
        asked = service.asked[0]
        assert (asked["host"], asked["target"], asked["accept"]) == (
            PREVIEW,
            "/docs/%C3%BC?a=%20b",
            "text/html",
        )
        assert not {"cookie", "x-own", "user-agent"} & set(asked)


def test_a_preview_passes_as_it_comes(readers, place):
    with _listening(place) as (service, loop), connection(readers) as line:
        line.request("GET", "/slow", headers={"Host": PREVIEW})
        answer = line.getresponse()
        assert answer.read1() == b"first"
        loop.call_soon_threadsafe(service.go_on.set)
        assert answer.read() == b"second"
        assert readers.get("/big", PREVIEW).body == BIG
        assert readers.get("/big", PREVIEW, "HEAD").headers["content-length"] == str(len(BIG))


def test_what_breaks_off_is_not_taken_for_whole(readers, place):
    with _listening(place), pytest.raises(Exception, match=r"IncompleteRead|Remote end closed"):
        readers.get("/broken", PREVIEW)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (PREVIEW, 203),
        (f"{PREVIEW.upper()}:81", 203),
        ("preview-.localhost", 203),
        ("preview-a.docs.example.org", 404),
        ("preview-a.b.localhost", 404),
        ("preview-a", 404),
        ("a.preview-a.localhost", 404),
        (HOST, 200),
    ],
)
def test_only_hosts_of_previews_reach_the_service(readers, place, host, status):
    with _listening(place) as (service, _):
        assert readers.get("/", host).status == status
        assert len(service.asked) == (status == 203)


def test_previews_are_away_with_the_service_and_come_back_with_it(readers, place):
    for _ in range(2):
        away = readers.get("/", PREVIEW)
        assert (away.status, away.headers["retry-after"]) == (503, "5")
        assert readers.get("/").body == b"page"
        with _listening(place):
            until(lambda: readers.get("/", PREVIEW).status == 203)
        place.unlink(missing_ok=True)


def test_of_several_services_any_one_that_is_there_answers(readers, place):
    newer = place.with_name("8090.sock")
    with _listening(place) as (service, _):
        with _listening(newer) as (other, _):
            assert readers.get("/", PREVIEW).status == 203
            assert (len(service.asked), len(other.asked)) == (0, 1)
        # What a killed service leaves: its socket is there, and nobody listens.
        unix_socket.listening_at(newer).close()
        assert readers.get("/", PREVIEW).status == 203
        assert (len(service.asked), len(other.asked)) == (1, 1)


def test_there_are_no_previews_without_a_socket(tmp_path):
    with serving_sites(tmp_path) as readers:
        assert readers.get("/", PREVIEW).status == 503
