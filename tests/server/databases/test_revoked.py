"""A key that is taken away while a request is on its way: the request is refused, and has changed nothing."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from server.control import audit
from tests.server.api.exchange import Reply
from tests.server.api.raw import read
from tests.server.databases.test_idempotency import send
from tests.server.databases.test_outages import frozen
from tests.server.databases.test_specification_keys import Owner
from tests.server.service.hosting import DATABASES, Client, Service, administer, opens
from tests.waiting import PATIENCE, until

TAKEN: dict[str, tuple[Callable[[Owner, str], object], str]] = {
    "disabled": (lambda owner, id: owner.do("disable", id), "KEY_DISABLED"),
    "rotated": (lambda owner, id: owner.rotate(id), "BAD_KEY"),
    "deleted": (lambda owner, id: owner.do("delete", id), "BAD_KEY"),
    "suspended": (lambda owner, _: owner.suspend(), "KEY_DISABLED"),
}
"""The deed that ends the key, and the code that its user is told."""


@contextmanager
def begun(client: Client, path: str) -> Iterator[Callable[[], tuple[int, str]]]:
    """A POST whose body lacks its last character. The function sends that, and gives the answer."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {client.key}", "Content-Length: 2"]
    head = "\r\n".join([*lines, "Content-Type: application/json", "Expect: 100-continue", "", ""])
    with socket.create_connection(("127.0.0.1", client.service.preview.port), PATIENCE) as connection:
        connection.sendall(head.encode())
        assert read(connection).status == 100

        def end() -> tuple[int, str]:
            connection.sendall(b"}")
            answer = read(connection)
            return answer.status, answer.code

        connection.sendall(b"{")
        yield end


def events(client: Client) -> list[str]:
    """List what was done with the account's databases."""
    found = audit.events(client.service.database, client.account.id)
    return [one.action for one in found if one.action.startswith("database.")]


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("operation", ["create", "rotate"])
def test_a_request_whose_key_is_taken_away_before_its_body_is_there_is_refused_and_changes_nothing(
    service: Service, how: str, operation: str
) -> None:
    owner = Owner(service.client("free"))
    take, code = TAKEN[how]
    made = owner.client.create()
    path = f"{DATABASES}/{made['id']}/rotate" if operation == "rotate" else DATABASES
    with begun(owner.client, path) as end:
        take(owner, owner.records()[0]["id"])
        assert end() == (401, code)
    owner.clear()
    assert events(owner.client) == ["database.create"]
    assert len(json.loads(administer(service, "database", "list", owner.email, "--json"))) == 1
    assert opens(made)


def test_a_body_that_is_no_json_is_not_read_when_the_key_was_taken_away(service: Service) -> None:
    client = service.client()
    with begun(client, DATABASES) as end:
        service.database.write("DELETE FROM management_keys WHERE account = ?", (client.account.id,))
        assert end() == (401, "BAD_KEY")


REVEALS: dict[str, Callable[[Client, str], Reply]] = {
    "a reveal": lambda client, id: client.ask("GET", f"{DATABASES}/{id}"),
    "a creation sent again": lambda client, _: send(client, "first"),
}


@pytest.mark.parametrize("what", REVEALS)
def test_a_reveal_tells_nothing_to_a_key_that_was_taken_away_while_the_server_stood_still(
    service: Service, what: str
) -> None:
    client = service.client()
    made = send(client, "first").data
    other = client.with_key(service.key(client.account))
    with ThreadPoolExecutor(1) as threads:
        with frozen(service.data):
            waiting = threads.submit(REVEALS[what], other, made["id"])
            until(lambda: was_used(other))
            disable(client)
        reply = waiting.result()
    assert (reply.status, reply.code) == (401, "KEY_DISABLED")
    assert events(client) == ["database.create"]
    until(service.is_ready)


def test_a_rotation_that_was_written_down_is_done_and_its_password_not_told_to_a_key_taken_away_since(
    service: Service, client: Client
) -> None:
    made = client.create()
    with ThreadPoolExecutor(1) as threads:
        with service.administrator() as connection, connection.transaction():
            connection.execute("LOCK TABLE pg_catalog.pg_authid IN SHARE MODE")
            waiting = threads.submit(client.ask, "POST", f"{DATABASES}/{made['id']}/rotate")
            until(lambda: events(client)[0] == "database.rotate")
            disable(client)
        reply = waiting.result()
    assert (reply.status, reply.code) == (401, "KEY_DISABLED")
    assert events(client) == ["database.rotate", "database.create"]
    until(lambda: not opens(made))


def was_used(client: Client) -> bool:
    """Return whether the service has seen the newest key of the account."""
    sql = "SELECT last_used_at FROM management_keys WHERE account = ? ORDER BY number DESC LIMIT 1"
    return client.service.database.read(sql, (client.account.id,)) != [(None,)]


def disable(client: Client) -> None:
    """Disable all keys of the account."""
    client.service.database.write(
        "UPDATE management_keys SET disabled = 1 WHERE account = ?", (client.account.id,)
    )
