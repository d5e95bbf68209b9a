from __future__ import annotations

import asyncio
import http.client
import os
import socket

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from server.http import answers
from tests.server.commands import serving
from tests.sites import write_site
from tests.waiting import PATIENCE

HOST = b"Host: localhost\r\n"
LARGE = 50_000_000


def raw(port, data):
    """Send bytes and give the status line of what comes back."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(data)
        with connection.makefile("rb") as answer:
            return answer.readline().decode("latin-1")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"garbage\r\n\r\n", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "400"),
        (b"GET / HTTP/9.9\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\n" + HOST * 2 + b"\r\n", "400"),
        (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 20000 + b"\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"),
        (b"GET /docs/ HTTP/1.0\r\n\r\n", "403"),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", "204"),
        (b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", "405"),
        (b"GET /docs/ HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + HOST + b"\r\n", "200"),
        (b"GET http://evil.example/docs/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
    ],
)
def test_odd_requests_get_an_answer_and_a_line_in_the_log_at_most(preview, data, status):
    lines = len(preview.lines)
    assert raw(preview.port, data).split(" ")[1] == status
    assert preview.get("/docs/").status == 200
    assert [line for line in preview.lines[lines:] if "(no request): 400 in" not in line] == []


def test_who_leaves_in_the_middle_is_no_trouble(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n", "static/large.mp4": b"x" * LARGE})
    with serving(site) as preview:
        lines = len(preview.lines)
        for path in (b"/large.mp4", b"/_tp/events", b"/docs/"):
            with socket.create_connection(("127.0.0.1", preview.port), PATIENCE) as connection:
                connection.sendall(b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n")
                assert connection.recv(100)
        with preview.states() as states:
            next(states)
            write_site(site, {"docs/index.md": "# Changed\n"})
            next(states)
        preview.says("rebuilt")
        assert len(preview.lines) == lines + 1


def test_a_file_that_shrinks_while_it_is_sent_is_seen_to_be_cut_off(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n", "static/large.mp4": b"x" * LARGE})
    with serving(site) as preview:
        connection = http.client.HTTPConnection("127.0.0.1", preview.port, timeout=PATIENCE)
        connection.request("GET", "/large.mp4")
        response = connection.getresponse()
        response.read(1000)
        (site / "static/large.mp4").write_bytes(b"short")
        with pytest.raises(http.client.IncompleteRead):
            response.read()
        connection.close()
        assert preview.get("/docs/").status == 200


def test_a_fault_of_ours_is_an_answer_and_one_line_in_the_terminal():
    told: list[str] = []

    async def failing(_: web.Request) -> web.Response:
        raise ZeroDivisionError("cannot count")

    async def ask() -> int:
        app = web.Application(middlewares=[answers.fault_guard(told.append)])
        app.router.add_get("/docs/x", failing)
        async with TestServer(app) as server, ClientSession(server.make_url("/")) as session:
            answer = await session.get("/docs/x")
            assert "Traceback" not in await answer.text()
            return answer.status

    assert asyncio.run(ask()) == 500
    (line,) = told
    assert line.startswith("Twinpress failed to answer /docs/x: ZeroDivisionError: cannot count")


def test_the_terminal_shows_some_of_very_many_problems_and_how_many_more_there_are(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    with serving(site) as preview:
        write_site(site, {"docs/index.md": "[no](nowhere)\n" * 1000})
        preview.says("... and 970 more: see `twinpress check`")
        assert sum("broken-link" in line for line in preview.lines) == 30


def test_a_name_that_is_no_utf8_does_not_end_the_server(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    with serving(site) as preview:
        (site / os.fsdecode(b"docs/bad\xff.txt")).write_text("x")
        preview.says("rebuilt")
        with preview.states() as states:
            next(states)
            write_site(site, {"docs/index.md": "# Changed\n"})
            next(states)
        assert "Changed" in preview.get("/docs/").text
