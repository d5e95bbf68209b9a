"""One account may ask for a lot: it keeps nobody else from being answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from server.control import audit
from server.databases.account_slots import SHARE
from server.databases.authenticate_account import AT_ONCE
from tests.server.api.raw import Raw, read
from tests.server.databases.test_outages import frozen
from tests.server.service.hosting import DATABASES, Client, Service
from tests.waiting import PATIENCE, until

CONNECTIONS = 500
"""As many as the service has at a time."""
BODY_SECONDS = 10.0
"""In which a body has to arrive."""
POST = f"POST {DATABASES} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def connected(service: Service) -> socket.socket:
    """A connection that has said nothing yet."""
    return socket.create_connection(("127.0.0.1", service.preview.port), PATIENCE)


def begin(connection: socket.socket, key: str) -> Raw:
    """Send a request that lacks its body; gives what is answered to its head: 100 is the wish for more."""
    head = f"{POST}Authorization: Bearer {key}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    connection.sendall(head.encode())
    return read(connection)


@contextmanager
def begun(client: Client, count: int) -> Iterator[list[socket.socket]]:
    """So many requests of a key that lack their bodies."""
    with ExitStack() as opened:
        found = [opened.enter_context(connected(client.service)) for _ in range(count)]
        assert {begin(connection, client.key).status for connection in found} == {100}
        yield found


def test_a_key_has_so_many_requests_on_their_way_and_more_are_told_to_wait(
    service: Service, client: Client
) -> None:
    other = client.with_key(service.key(client.account))
    with begun(client, AT_ONCE) as waiting:
        for method, path in (("GET", DATABASES), ("POST", DATABASES), ("GET", "/api/none")):
            reply = client.ask(method, path)
            assert (reply.status, reply.code, reply.headers["retry-after"]) == (429, "RATE_LIMITED", "1")
        assert other.list()["databases"] == []
        waiting[0].sendall(b"no")
        assert read(waiting[0]).code == "INVALID_JSON"
        assert client.list()["databases"] == []
        waiting[1].close()
        until(lambda: client.ask("GET", "/api/none").status == 404)


def test_two_keys_whose_bodies_never_end_leave_room_for_everybody_else(service: Service) -> None:
    client, victim = service.client("free"), service.client()
    keys = (client.key, service.key(client.account))
    with ExitStack() as opened:
        started = time.monotonic()
        answers = [
            begin(opened.enter_context(connected(service)), keys[number % 2]).status
            for number in range(CONNECTIONS)
        ]
        rounds = 1 + (time.monotonic() - started) // BODY_SECONDS  # whose time is over make room
        assert set(answers) == {100, 429}
        assert 2 * AT_ONCE <= answers.count(100) <= 2 * AT_ONCE * rounds
        assert victim.list()["databases"] == []
        assert service.preview.get("/healthz").status == 200


TAIL = "Content-Length: 9\r\n\r\n{"
REST = f"Host: x\r\n{TAIL}"
IDLE = {
    "nothing": ("", []),
    "a part of a head": (POST, []),
    "a head without a key": (f"POST {DATABASES} HTTP/1.1\r\n{REST}", [401]),
    "a head with a key that is none": (f"{POST}Authorization: Bearer x\r\n{TAIL}", [401]),
    "a body for no page": (f"POST /none HTTP/1.1\r\n{REST}", [404]),
    "a body for the health": (f"GET /healthz HTTP/1.1\r\n{REST}", [200]),
    "a body for the document": (f"GET /api/v1/openapi.json HTTP/1.1\r\n{REST}", [200]),
}
"""The bytes that are sent, and the status of each answer."""


@pytest.mark.parametrize("what", IDLE)
def test_connections_without_a_key_make_way_for_those_with_one(
    service: Service, client: Client, what: str
) -> None:
    sent, answers = IDLE[what]
    with ExitStack() as opened:
        for _ in range(CONNECTIONS):
            connection = opened.enter_context(connected(service))
            connection.sendall(sent.encode())
            assert [read(connection).status for _ in answers] == answers
        assert client.list()["databases"] == []
        assert service.preview.get("/healthz").status == 200


def test_rotations_that_wait_keep_no_other_account_from_its_passwords(
    service: Service,
) -> None:
    client, victim = service.client("free"), service.client()
    other = client.with_key(service.key(client.account))
    path, made = f"{DATABASES}/{client.create()['id']}/rotate", victim.create()
    with ThreadPoolExecutor(2 * AT_ONCE) as threads:
        with service.administrator() as connection, connection.transaction():
            connection.execute("LOCK TABLE pg_catalog.pg_authid IN SHARE MODE")
            waiting = [threads.submit(who.ask, "POST", path) for who in (client, other) * AT_ONCE]
            until(lambda: rotations(client) >= SHARE)
            assert victim.reveal(made["id"])["password"] == made["password"]
        assert {each.result().status for each in waiting} <= {200, 409, 503}
    until(service.is_ready)


def rotations(client: Client) -> int:
    """Count the rotations that were written down for an account."""
    found = audit.events(client.service.database, client.account.id)
    return sum(event.count for event in found if event.action == "database.rotate")


@pytest.mark.slow
def test_a_request_that_waits_in_vain_for_others_of_its_account_is_told_so(
    service: Service, client: Client
) -> None:
    with ThreadPoolExecutor(AT_ONCE) as threads, frozen(service.data):
        replies = list(threads.map(lambda _: client.ask("POST", DATABASES), range(AT_ONCE)))
    codes = [(reply.status, reply.code, reply.headers["retry-after"]) for reply in replies]
    assert set(codes) == {(503, "ENGINE_UNAVAILABLE", "1"), (503, "TOO_BUSY", "1")}
    assert codes.count((503, "TOO_BUSY", "1")) > SHARE
    until(service.is_ready)


def test_a_body_has_ten_seconds_to_arrive(client: Client) -> None:
    with begun(client, 1) as (connection,):
        connection.sendall(b"{")
        answer = read(connection)
        assert (answer.status, answer.code) == (408, "REQUEST_TIMEOUT")
        assert "10 s" in str(answer.envelope["error"])
