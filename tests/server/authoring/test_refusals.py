"""Refusals before anybody looks for an endpoint: strange hosts, targets and bodies; all is logged."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from server.http.connection_room import Wire
from server.http.request_log import UNREADABLE
from tests.server.api.raw import read
from tests.server.authoring.client import Client, authoring
from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.server.commands import serving, twinpress
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with little patience."""
    root = write_site(tmp_path_factory.mktemp("site"), SITE)
    with hosted(root, wire=Wire(head_seconds=0.5)) as server:
        yield server


TWO_LENGTHS = b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"
HOSTS = [
    ("http://localhost", "localhost", 200),
    ("http://LOCALHOST:80", "localhost:8000", 200),
    ("", "localhost:", 200),
    ("http://evil.example", "localhost", 403),
    ("http://evil.example:8000", "localhost", 403),
    ("https://evil.example", "localhost", 403),
    ("http://localhost@evil.example", "localhost", 403),
    ("http://user@localhost", "localhost", 200),
    ("http://localhost", "evil.example", 403),
    ("", "localhost:abc", 403),
    ("", "localhost:99999", 403),
    ("", "localhost:-1", 403),
    ("", "127.0.0.1:8000:8000", 403),
]


@pytest.mark.parametrize(("target", "host", "status"), HOSTS)
def test_the_host_that_is_asked_for_must_be_this_one(
    server: Hosted, target: str, host: str, status: int
) -> None:
    before = len(server.log)
    answer = server.ask("GET", f"{target}{BASE}/ai/site", server.long, Host=host)
    assert answer.status == status, answer.body
    assert answer.code == ("ok" if status == 200 else "UNKNOWN_HOST")
    assert server.logged(before + 1)[before].id == answer.headers["x-request-id"]
    if status == 403:
        assert server.ask("GET", f"{target}/docs/a", Host=host).status == 403


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\r\n\r\n",
        b"PUT /api/v1/pages/ai/page HTTP/1.1\r\nHost: localhost\r\n" + TWO_LENGTHS,
        b"GET /api/v1/pages/ai/site HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /api/v1/pages/ai/site HTTP/1.1\r\nHost: loc",
    ],
)
def test_what_is_no_request_is_in_the_log_too(server: Hosted, data: bytes) -> None:
    before = len(server.log)
    answer = server.raw(data)
    (line,) = server.logged(before + 1)[before:]
    assert (line.id, line.status) == (answer.headers["x-request-id"], answer.status)
    assert (line.method, line.path, line.key) == (UNREADABLE, "", "")


REFUSED = [
    (b"PUT /api/v1/pages/ai/page HTTP/1.1", 401),
    (b"PUT /api/v1/nowhere HTTP/1.1", 401),
    (b"POST /docs/ HTTP/1.1", 405),
]


def test_a_refusal_before_the_body_came_is_the_last_answer(server: Hosted) -> None:
    """All at a time: the server listens for a while to what comes late, and the test waits for its end."""
    with ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in REFUSED]
        for connection, (line, status) in zip(connections, REFUSED, strict=True):
            connection.sendall(line + b"\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n")
            answer = read(connection)
            assert (answer.status, answer.headers["connection"]) == (status, "close")
        for _ in range(4):
            time.sleep(0.2)
            for connection in connections:
                with suppress(ConnectionError):
                    connection.sendall(b"x" * 10)
        for connection in connections:
            with suppress(ConnectionError):
                assert read(connection).status == 0


def test_a_body_that_is_there_lets_the_connection_go_on(server: Hosted) -> None:
    with server.connect() as connection:
        for _ in range(2):
            connection.sendall(b"PUT /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
            answer = read(connection)
            assert (answer.status, answer.headers.get("connection", "keep-alive")) == (401, "keep-alive")


@pytest.mark.parametrize("coding", [b"gzip, chunked", b"identity, chunked", b"x, chunked"])
def test_a_body_in_another_coding_is_refused(server: Hosted, coding: bytes) -> None:
    line = b"PUT /api/v1/pages/ai/page HTTP/1.1"
    head = server.head(line, b"Transfer-Encoding: " + coding, b"Content-Type: application/json")
    answer = server.raw(head + b"\r\n2\r\n{}\r\n0\r\n\r\n")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("target", ["/api%2fv1/pages", "/api%2Fv1/pages/ai/site", "/%61pi%2Fv1%2Fx"])
def test_whoever_may_mean_the_api_is_answered_in_its_form(server: Hosted, target: str) -> None:
    answer = server.ask("GET", target, server.long)
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


@pytest.mark.parametrize("target", ["*", "foo:bar"])
def test_a_target_that_is_none_is_told_so(server: Hosted, target: str) -> None:
    answer = server.ask("GET", target, server.long)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert "must begin with `/`" in str(answer.envelope["error"])


def test_the_server_as_a_whole_has_options_and_is_no_proxy(server: Hosted) -> None:
    whole = server.ask("OPTIONS", "*")
    assert (whole.status, whole.body) == (204, b"")
    assert "PUT" in whole.headers["allow"]
    assert server.ask("CONNECT", "localhost:80").status == 405


def test_an_api_that_could_not_be_started_says_so_in_its_form(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, ".twinpress/state/control.sqlite3": "garbage " * 100})
    with serving(site, "--port", "0") as preview:
        client = Client(preview, "x")
        for method, path in (("GET", "/ai/site"), ("PUT", "/ai/page"), ("GET", "/nowhere")):
            answer = client.ask(method, BASE + path)
            assert (answer.status, answer.code) == (500, "INTERNAL")
            assert "terminal" in answer.json["error"]
            preview.says(answer.headers["x-request-id"])
        assert client.ask("GET", "/api/v1/openapi.json").code == "INTERNAL"
        assert client.ask("GET", f"{BASE}/ai/site", Host="evil.example").code == "UNKNOWN_HOST"
        assert preview.get("/docs/a").status == 200


def test_keys_work_when_the_state_was_removed_meanwhile(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    with authoring(site) as client:
        client.write("docs/b")
        shutil.rmtree(site / ".twinpress")
        assert client.site().code == "BAD_KEY"
        made = twinpress("key", "create", str(site), "--kind", "one-off", cwd=tmp_path)
        fresh = Client(client.preview, made.stdout.split("\n")[0])
        assert fresh.site().status == 200
        fresh.write("docs/c")
        assert client.site().code == "BAD_KEY"


def test_no_key_is_in_what_a_log_would_keep(tmp_path: Path) -> None:
    with authoring(write_site(tmp_path, SITE)) as client:
        assert client.site().status == 200
        assert any(client.key in line for line in client.preview.results)
        assert not any(client.key in line for line in client.preview.lines)


def test_a_long_path_is_not_repeated_in_full(server: Hosted) -> None:
    path = "docs/" + "a" * 100_000
    answer = server.ask(
        "PUT", f"{BASE}/ai/page", server.long, json.dumps({"path": path, "body": ""}).encode()
    )
    assert answer.code == "INVALID_PATH"
    assert len(str(answer.envelope["error"])) < 2_000
    assert "bytes" in str(answer.envelope["error"])


def test_a_file_in_the_place_of_a_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", {**SITE, ".twinpress/state/history": "x"})
    told = twinpress("serve", site, "--port", "0", cwd=tmp_path)
    assert told.returncode == 2
    assert "`history/pending`" in told.stderr
    assert "move it away" in told.stderr
