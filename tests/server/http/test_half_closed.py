"""A client that says with a request that it sends no more is answered, and then the connection ends."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from server.http.connection_room import Wire
from tests.server.api.raw import read
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.sites import write_site
from tests.waiting import PATIENCE, until

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
HOST = b" HTTP/1.1\r\nHost: localhost\r\n"
DOCUMENT = b"GET /api/v1/openapi.json" + HOST + b"\r\n"
NEVER = b"GET /docs/" + HOST + b"\r\n"
"""A request that waits for a build, and here there is none."""
EVENTS = b"GET /_tp/events" + HOST + b"\r\n"
PUT = b"PUT /api/v1/pages/a" + HOST + b"Content-Length: 3\r\n\r\n"
PLACES, TRIES = 4, 30
"""One alone was answered about half of the time."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Hosted]:
    """A server that ends none who only waits, and has few places."""
    with hosted(root, UNLIMITED, Wire(connections=PLACES, idle_seconds=10 * PATIENCE)) as server:
        yield server


def said(server: Hosted, sent: bytes) -> socket.socket:
    """A connection on which the client has sent this, and sends nothing more."""
    connection = server.connect()
    connection.sendall(sent)
    connection.shutdown(socket.SHUT_WR)
    return connection


def answered(connection: socket.socket) -> list[int]:
    """The statuses of all answers until the connection ends; each answer is whole."""
    with connection.makefile("rb") as stream:
        heads = re.findall(rb"(?s)HTTP/1.1 (\d+) .*?Content-Length: (\d+).*?\r\n\r\n", every := stream.read())
    bodies = [part.partition(b"\r\n\r\n")[2] for part in every.split(b"HTTP/1.1 ")[1:]]
    assert [int(length) for _, length in heads] == [len(body) for body in bodies]
    return [int(status) for status, _ in heads]


ANSWERED = [
    ([DOCUMENT], [200]),
    ([DOCUMENT] * 3, [200] * 3),
    ([PUT + b"# A"], [401]),
]


@pytest.mark.parametrize(("requests", "wanted"), ANSWERED)
def test_who_sends_nothing_more_is_answered_all_and_then_the_connection_ends(
    server: Hosted, requests: list[bytes], wanted: list[int]
) -> None:
    for _ in range(TRIES):
        with closing(said(server, b"".join(requests))) as connection:
            assert answered(connection) == wanted


@pytest.mark.parametrize("sent", [b"", DOCUMENT[:20]], ids=["nothing", "half a head"])
def test_what_is_no_whole_request_when_the_client_ends_is_not_waited_for(server: Hosted, sent: bytes) -> None:
    with closing(said(server, sent)) as connection:
        assert answered(connection) == []


def test_the_rest_of_a_body_that_does_not_come_is_not_waited_for(server: Hosted) -> None:
    request = server.head() + b"Content-Length: 9\r\n\r\n#"
    with closing(said(server, request)) as connection:
        assert answered(connection) in ([], [400])


def test_who_waits_between_two_requests_and_ends_is_let_go(server: Hosted) -> None:
    with closing(server.connect()) as connection:
        connection.sendall(DOCUMENT)
        assert read(connection).status == 200
        connection.shutdown(socket.SHUT_WR)
        assert answered(connection) == []


def test_who_listens_and_ends_is_let_go(server: Hosted) -> None:
    with closing(server.connect()) as connection:
        connection.sendall(EVENTS)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def all_answered(server: Hosted, count: int) -> bool:
    """Return whether so many connections that are open at once are all answered."""
    with ExitStack() as opened:
        connections = [opened.enter_context(closing(server.connect())) for _ in range(count)]
        for each in connections:
            each.sendall(DOCUMENT)
        return [read(each).status for each in connections] == [200] * count


def test_those_who_have_gone_before_their_answer_keep_no_place(
    server: Hosted, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(TRIES):
        said(server, DOCUMENT).close()
    until(lambda: all_answered(server, PLACES))
    assert [each for each in caplog.records if each.name == "asyncio"] == []


def test_what_is_never_answered_is_not_waited_for_when_the_client_may_have_gone(root: Path) -> None:
    with (
        hosted(root, UNLIMITED, Wire(idle_seconds=0.5)) as server,
        closing(said(server, NEVER)) as connection,
        suppress(ConnectionResetError),
    ):
        assert answered(connection) == []
