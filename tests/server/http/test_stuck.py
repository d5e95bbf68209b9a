"""A connection whose client takes nothing ends; one that takes something or has nothing to take does not."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import pytest

from server.http.connection_room import Wire
from tests.server.api.raw import read
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.sites import write_site
from tests.waiting import PATIENCE

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
DOCUMENT = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
EVENTS = b"GET /_tp/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGEST = 1 * 1024 * 1024
"""Bytes that are made for a client that takes none of them, at most."""
STALL = 4.0
"""Seconds: a reader on a busy machine may not get to run for one or two of them."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Hosted]:
    """A server that soon ends those who take nothing."""
    with hosted(root, wire=Wire(stall_seconds=STALL)) as server:
        yield server


def asked(server: Hosted, *requests: bytes) -> socket.socket:
    """A connection whose client has little room for answers, with these requests on their way."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(b"".join(requests))
    return connection


def ended(connection: socket.socket, seconds: float) -> bool:
    """Return whether the server ends it within this time; nothing is read meanwhile."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    return bool(poll.poll(seconds * 1000))


@pytest.mark.parametrize("requests", [1, 200], ids=["one answer", "many answers"])
def test_who_takes_nothing_is_ended_and_others_are_not(server: Hosted, requests: int) -> None:
    with (
        closing(asked(server, DOCUMENT)) as idle,
        closing(asked(server, EVENTS)) as listening,
        closing(asked(server, *[DOCUMENT] * requests)) as stuck,
    ):
        assert read(idle).status == 200
        assert listening.recv(4096).startswith(b"HTTP/1.1 200")
        assert ended(stuck, PATIENCE)
        assert not ended(listening, 0)
        idle.sendall(DOCUMENT)
        assert read(idle).status == 200


@pytest.mark.slow
def test_who_takes_little_at_a_time_gets_all(server: Hosted) -> None:
    """For much longer than somebody may take nothing; what is left in the end is read at once."""
    (answer, count), taken, end = (server.raw(DOCUMENT), 20), 0, time.monotonic() + 3 * STALL
    with closing(asked(server, *[DOCUMENT] * count)) as slow:
        while time.monotonic() < end:
            assert not ended(slow, 0.1)
            taken += len(slow.recv(2048))
        while taken < count * len(answer.body):
            piece = slow.recv(65536)
            assert piece
            taken += len(piece)


def test_who_takes_nothing_makes_way_for_others_at_once(root: Path) -> None:
    wire = Wire(connections=4, stall_seconds=10 * PATIENCE, grace_seconds=0.2)
    alone = DOCUMENT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with hosted(root, UNLIMITED, wire) as server, ExitStack() as opened:
        stuck = []
        for number in range(12):  # each is let in, though all before are within their grace
            stuck.append(opened.enter_context(closing(asked(server, *[DOCUMENT] * 200))))
            server.logged(2 * (number + 1))
        assert [server.raw(alone).status for _ in range(50)] == [200] * 50
        assert all(ended(each, PATIENCE) for each in stuck[:8])


def test_of_a_client_that_asks_and_does_not_read_neither_requests_nor_answers_are_kept(
    server: Hosted,
) -> None:
    size, before = len(server.raw(DOCUMENT).body), len(server.log)
    with closing(asked(server)) as greedy:
        greedy.settimeout(1.0)
        with suppress(TimeoutError, ConnectionError):  # nobody takes any more, or it is ended for that
            while True:
                greedy.sendall(DOCUMENT * 1000)
        assert (len(server.log) - before) * size < LARGEST


def test_who_makes_way_before_it_has_asked_is_told_to_try_again(root: Path) -> None:
    """Its request may be on its way. Between two requests clients know that a connection may end."""
    with hosted(root, wire=Wire(connections=2)) as server, ExitStack() as opened:
        silent, *others = [opened.enter_context(closing(server.connect())) for _ in range(5)]
        answer = read(silent)
        assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "TOO_BUSY", "1")
        assert not any(ended(each, 0) for each in others)


def test_of_many_that_come_at_once_each_is_answered_or_told_to_try_again(root: Path) -> None:
    """None is broken off: neither one whose request has just come, nor one that is still sending."""
    page = b"x" * 200_000
    head = "PUT /api/v1/pages/ai/page HTTP/1.1\r\nHost: localhost\r\n"
    request = f"{head}Content-Length: {len(page)}\r\n\r\n".encode() + page

    def put(server: Hosted, _: int) -> int:
        with closing(server.connect()) as connection:
            connection.sendall(request)
            return read(connection).status

    with hosted(root, UNLIMITED, Wire(connections=4)) as server, ThreadPoolExecutor(12) as threads:
        answers = set(threads.map(partial(put, server), range(240)))
        assert answers <= {401, 503}
