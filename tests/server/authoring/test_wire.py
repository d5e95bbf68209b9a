"""Requests that are no proper HTTP are refused in the one form of every answer; nothing waits or breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from server.authoring.site_key_limits import ClientLimits
from server.http.connection_room import Wire
from tests.server.api.raw import read
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.server.commands import serving
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
PUT = b"PUT /api/v1/pages/ai/page HTTP/1.1"
LONG = b"a" * 9000
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
PAGE = b'{"path": "docs/x", "body": "Hello."}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with little patience."""
    root = write_site(tmp_path_factory.mktemp("site"), SITE)
    wire = Wire(connections=4, head_seconds=0.5, idle_seconds=30.0)
    limits = ClientLimits(body_seconds=0.5, requests=UNLIMITED.requests)
    with hosted(root, limits, wire) as server:
        yield server


UNREADABLE = [
    (b"\r\n\r\ngarbage\r\n\r\n", "Invalid method"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "HTTPS"),
    (b"\x00" * 20, "Invalid method"),
    (b"BREW /api/v1/pages/ai/site HTTP/1.1\r\n\r\n", "Invalid method"),
    (b"get /api/v1/pages/ai/site HTTP/1.1\r\n\r\n", "Invalid method"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "read"),
    (b"GET /api/\xff HTTP/1.1\r\n\r\n", "percent-encoded"),
    (b"GET /api/\x00 HTTP/1.1\r\n\r\n", "percent-encoded"),
    (b"GET /api/ /api/ HTTP/1.1\r\n\r\n", "read"),
    (b"GET http://[::1/api/ HTTP/1.1\r\n\r\n", "percent-encoded"),
    (b"GET /api/" + LONG + b" HTTP/1.1\r\n\r\n", "more than 8,190 bytes"),
    (b"GET /api/ HTTP/1.1\r\n\r\n", "Missing 'Host'"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "Duplicate 'Host'"),
    (b"GET /api/ HTTP/1.1\nHost: localhost\n\n", "read"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nX: " + LONG + b"\r\n\r\n", "more than 8,190 bytes"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\n" + LONG + b": x\r\n\r\n", "more than 8,190 bytes"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\n" + b"X: x\r\n" * 200 + b"\r\n", "Too many headers"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", "whitespace after header"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", "header value"),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n", "header "),
    (b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n", "header "),
]


@pytest.mark.parametrize(
    ("data", "said"), UNREADABLE, ids=[case[0][:30].decode("latin-1") for case in UNREADABLE]
)
def test_what_cannot_be_read_gets_an_envelope(server: Hosted, data: bytes, said: str) -> None:
    answer = server.raw(data)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert said in str(answer.envelope["error"])
    assert answer.headers["server"] == "Twinpress"


FRAMES = [
    (b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "Duplicate Content-Length"),
    (b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "Duplicate Content-Length"),
    (b"Content-Length: 5, 5\r\n\r\nhello", "Content-Length"),
    (b"Content-Length: +5\r\n\r\nhello", "Content-Length"),
    (b"Content-Length: -5\r\n\r\nhello", "Content-Length"),
    (b"Content-Length: 0x5\r\n\r\nhello", "Content-Length"),
    (b"Content-Length: 99999999999999999999999\r\n\r\nhello", "Content-Length"),
    (b"Content-Length: 5\r\n" + CHUNKED + b"0\r\n\r\n", "Transfer-Encoding"),
    (CHUNKED[:-2] + b"Content-Length: 5\r\n\r\n0\r\n\r\n", "Content-Length"),
    (b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding"),
    (b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding"),
    (b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", "Transfer-Encoding"),
    (b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "header "),
    (CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n", "chunk"),
    (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", "chunk"),
    (CHUNKED + b"fffffffffffffffff\r\nhello", "Chunk size overflow"),
    (CHUNKED + b"5\nhello\n0\n\n", "chunk"),
    (CHUNKED + b"3\r\nhello\r\n0\r\n\r\n", "chunk"),
    (CHUNKED + b"0\r\nX : a\r\n\r\n", "header "),
]


@pytest.mark.parametrize(("rest", "said"), FRAMES, ids=[case[0][:60].decode() for case in FRAMES])
def test_a_body_with_two_ends_is_refused(server: Hosted, rest: bytes, said: str) -> None:
    answer = server.raw(server.head() + rest)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert said.lower() in str(answer.envelope["error"]).lower()


def test_a_refusal_repeats_nothing_of_what_was_sent(server: Hosted) -> None:
    for line in (b"GET /api/\xff", b"GET /api/ x", b"BREW /"):
        answer = server.raw(server.head(line + server.long.encode() + b" HTTP/1.1") + b"\r\n")
        assert answer.status == 400
        assert server.long[10:] not in answer.body.decode()


def test_a_chunk_that_turns_out_to_be_none_is_not_waited_for(server: Hosted) -> None:
    with server.connect() as connection:
        connection.sendall(
            server.head(b"PUT /api/v1/pages/ai/page HTTP/1.1", b"Expect: 100-continue") + CHUNKED
        )
        assert read(connection).status == 100
        connection.sendall(b"5\r\nhello\r\nzz\r\n")
        answer = read(connection)
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")
        assert "the body is not what its headers say" in str(answer.envelope["error"])
        assert connection.recv(1) == b""


def test_a_good_body_in_chunks_is_taken(server: Hosted) -> None:
    pieces = [f"{len(piece):x};name=value\r\n".encode() + piece + b"\r\n" for piece in (PAGE[:7], PAGE[7:])]
    answer = server.raw(server.head() + CHUNKED + b"".join(pieces) + b"0\r\nX: trailer\r\n\r\n")
    assert answer.code == "ok"


def test_garbage_behind_a_request_does_not_spoil_its_answer(server: Hosted) -> None:
    request = server.head(b"GET /api/v1/pages/ai/page?path=docs/a HTTP/1.1") + b"\r\n"
    with server.connect() as connection:
        connection.sendall(request)
        assert read(connection).code == "ok"
        connection.sendall(b"garbage\r\n\r\n")
        assert read(connection).code == "BAD_REQUEST"
        assert connection.recv(1) == b""


def test_a_head_that_takes_too_long_is_refused_and_so_is_a_body(server: Hosted) -> None:
    with server.connect() as slow_head, server.connect() as slow_body:
        slow_head.sendall(b"GET /api/v1/pages/ai/site HTTP/1.1\r\nHost: local")
        slow_body.sendall(
            server.head(b"PUT /api/v1/pages/ai/page HTTP/1.1", b"Content-Length: 100") + b"\r\n{"
        )
        for connection, said in ((slow_head, "the head of the request took"), (slow_body, "the body took")):
            answer = read(connection)
            assert (answer.status, answer.code) == (408, "REQUEST_TIMEOUT")
            assert said in str(answer.envelope["error"])
            assert answer.headers["connection"] == "close"


def test_an_idle_connection_makes_way_for_a_new_one(server: Hosted) -> None:
    request = server.head(b"GET /api/v1/pages/ai/site HTTP/1.1") + b"\r\n"
    with ExitStack() as opened:
        idle = [opened.enter_context(server.connect()) for _ in range(4)]
        for connection in idle:
            connection.sendall(request)
            assert read(connection).code == "ok"
        one_more = opened.enter_context(server.connect())
        one_more.sendall(request)
        assert read(one_more).code == "ok"
        assert idle[0].recv(1) == b""


def test_too_many_busy_connections_are_told_to_try_again(tmp_path) -> None:
    with hosted(write_site(tmp_path, SITE), wire=Wire(connections=2)) as server:
        begin = server.head(b"PUT /api/v1/pages/ai/page HTTP/1.1", b"Expect: 100-continue")
        begin += f"Content-Length: {len(PAGE)}\r\n\r\n".encode()
        with ExitStack() as opened:
            busy = [opened.enter_context(server.connect()) for _ in range(2)]
            for connection in busy:
                connection.sendall(begin)
                assert read(connection).status == 100
            answer = read(opened.enter_context(server.connect()))
            assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "TOO_BUSY", "1")
            for connection in busy:
                connection.sendall(PAGE)
                assert read(connection).code == "ok"


def test_a_half_finished_put_is_finished_when_the_server_is_told_to_stop(tmp_path) -> None:
    root = write_site(tmp_path, SITE)
    with serving(root) as preview:
        key = preview.says("Key: ").partition("Key: ")[2].strip()
        with Hosted(preview.port, None, "", key, "").connect() as connection:  # type: ignore[arg-type]
            lines = ["PUT /api/v1/pages/ai/page HTTP/1.1", "Host: localhost", "Expect: 100-continue"]
            lines += [f"Authorization: Bearer {key}", f"Content-Length: {len(PAGE)}"]
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            assert read(connection).status == 100
            connection.sendall(PAGE[:10])
            preview.process.terminate()
            while True:
                try:
                    Hosted(preview.port, None, "", "", "").connect().close()  # type: ignore[arg-type]
                except OSError:
                    break  # it does not listen any more: the signal has arrived
            connection.sendall(PAGE[10:])
            answer = read(connection)
            assert (answer.status, answer.code) == (201, "ok")
            assert json.loads(answer.body)["data"]["created"] is True
        assert preview.process.wait(30) == 0
    assert (root / "docs/x.mdx").read_text() == "Hello."


def test_a_client_that_leaves_in_the_middle_of_a_body_is_one_line_in_the_log(server: Hosted) -> None:
    before = len(server.log)
    with server.connect() as connection:
        connection.sendall(server.head(PUT, b"Expect: 100-continue", b"Content-Length: 100") + b"\r\n")
        assert read(connection).status == 100
        connection.sendall(b"{")
    (line,) = server.logged(before + 1)[before:]
    assert (line.method, line.status) == ("PUT", 499)
    assert server.raw(server.head(b"GET /api/v1/pages/ai/site HTTP/1.1") + b"\r\n").code == "ok"
