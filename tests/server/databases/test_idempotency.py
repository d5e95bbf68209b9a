"""A request that is sent again with its `Idempotency-Key` is done once."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from server.control import audit
from tests.server.api.exchange import Reply
from tests.server.service.hosting import DATABASES, Client, Service, administer, opens
from tests.waiting import until


def send(client: Client, key: str, body: object = None, path: str = DATABASES) -> Reply:
    """A POST with this key."""
    return client.ask("POST", path, body, **{"Idempotency-Key": key})


def insist(client: Client, key: str, path: str, body: object) -> Any:
    """Send it until it is done; gives the database."""

    def done() -> Reply | None:
        reply = send(client, key, body, path)
        if reply.status < 300:
            return reply
        assert reply.code in {"ENGINE_UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS", "DATABASE_BUSY"}
        return None

    return until(done, pause=0.1).data


@contextmanager
def stuck(service: Service) -> Iterator[None]:
    """For the time of the block, PostgreSQL makes no database; it tries for a second each time."""
    with service.administrator() as connection, connection.transaction():
        connection.execute("LOCK TABLE pg_catalog.pg_database IN SHARE MODE")
        yield


def facts(data: dict[str, object]) -> dict[str, object]:
    """All but the size, which is looked at meanwhile."""
    return {name: value for name, value in data.items() if name != "size_bytes"}


def test_a_creation_that_is_sent_again_gives_the_same_database(client: Client) -> None:
    replies = [send(client, "k1", {"name": "orders"}) for _ in range(3)]
    assert {reply.status for reply in replies} == {201}
    assert len({json.dumps(facts(reply.data)) for reply in replies}) == 1
    assert opens(replies[0].data)
    assert len(client.list()["databases"]) == 1


def test_a_rotation_that_is_sent_again_gives_the_password_of_now(client: Client) -> None:
    made = client.create()
    path = f"{DATABASES}/{made['id']}/rotate"
    first = send(client, "k", None, path).data
    assert facts(send(client, "k", None, path).data) == facts(first)
    later = client.rotate(made["id"])
    assert send(client, "k", {}, path).data["password"] == later["password"] != first["password"]
    assert opens(later)


def test_what_is_sent_again_is_in_the_audit_log_as_the_reveal_that_it_is(client: Client) -> None:
    made = send(client, "k1").data
    path = f"{DATABASES}/{made['id']}/rotate"
    for key, at in (("k1", DATABASES), ("k2", path), ("k2", path), ("k1", DATABASES)):
        assert send(client, key, None, at).data["id"] == made["id"]
    times = Counter[str]()
    for event in audit.events(client.service.database, client.account.id):
        if event.subject == made["id"]:
            times[event.action] += event.count
    assert times == {"database.create": 1, "database.reveal": 3, "database.rotate": 1}


def test_no_body_and_an_empty_object_are_the_same_request(client: Client) -> None:
    first = send(client, "k")
    for body in (b"", b"{}", b" { } ", b'{"name": null}'):
        assert send(client, "k", body).data == first.data
    assert len(client.list()["databases"]) == 1


def test_a_key_that_was_sent_with_another_request_is_refused(client: Client) -> None:
    made = send(client, "k", {"name": "a"}).data
    for path, body in (
        (DATABASES, {"name": "b"}),
        (DATABASES, {"name": "A"}),
        (DATABASES, None),
        (f"{DATABASES}/{made['id']}/rotate", None),
    ):
        reply = send(client, "k", body, path)
        assert (reply.status, reply.code) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert [one["name"] for one in client.list()["databases"]] == ["a"]
    assert client.reveal(made["id"])["password"] == made["password"]


def test_the_keys_of_one_account_are_another_accounts_own(service: Service, client: Client) -> None:
    made = send(client, "k").data
    assert send(client.with_key(service.key(client.account)), "k").data == made
    assert send(service.client(), "k").data["id"] != made["id"]


BAD = ["", " ", "a b", "a" * 256, "ä", "a\tb", "\x7f"]


@pytest.mark.parametrize("key", BAD, ids=range(len(BAD)))
def test_a_key_is_1_to_255_visible_characters(client: Client, key: str) -> None:
    reply = send(client, key)
    assert (reply.status, reply.code) == (400, "BAD_REQUEST")
    assert client.list()["databases"] == []


@pytest.mark.parametrize(
    "key", ["!", "~" * 255, '"quoted"', "a,b;c=d", "%00", "' OR 1=1 --".replace(" ", "_")]
)
def test_a_key_may_have_any_visible_character(client: Client, key: str) -> None:
    assert send(client, key).data == send(client, key).data


def test_a_request_that_was_refused_is_tried_again(client: Client) -> None:
    made = client.create("orders")
    assert send(client, "k", {"name": "orders"}).code == "NAME_TAKEN"
    administer(client.service, "database", "delete", made["id"])
    assert send(client, "k", {"name": "orders"}).data["id"] != made["id"]


def test_a_creation_is_not_repeated_when_its_database_was_deleted(client: Client) -> None:
    made = send(client, "k").data
    administer(client.service, "database", "delete", made["id"])
    assert send(client, "k").code == "DATABASE_NOT_FOUND"
    until(lambda: client.list()["databases"] == [])
    assert send(client, "k").code == "DATABASE_NOT_FOUND"


def test_a_key_is_forgotten_after_a_day(client: Client) -> None:
    made = send(client, "k").data
    sql = "UPDATE idempotency SET created_at = created_at - ? WHERE account = ?"
    client.service.database.write(sql, (24 * 3600 - 60, client.account.id))
    assert send(client, "k").data == made
    client.service.database.write(sql, (61, client.account.id))
    assert send(client, "k").data["id"] != made["id"]


def test_of_many_at_once_one_is_done_and_the_others_are_told_the_same_or_to_wait(client: Client) -> None:
    with ThreadPoolExecutor(12) as threads:
        replies = list(threads.map(lambda _: send(client, "k", {"name": "once"}), range(12)))
    assert {(reply.status, _code(reply)) for reply in replies} <= {
        (201, "ok"),
        (409, "IDEMPOTENCY_IN_PROGRESS"),
    }
    assert len({reply.body for reply in replies if reply.status == 201}) == 1
    assert len(client.list()["databases"]) == 1


def test_a_request_whose_first_one_is_not_done_yet_is_told_to_wait_and_gets_its_database_later(
    client: Client,
) -> None:
    key = secrets.token_hex(8)
    with ThreadPoolExecutor(1) as threads:
        with stuck(client.service):
            first = threads.submit(send, client, key, {"name": "slow"})
            until(lambda: [one["status"] for one in client.list()["databases"]] == ["creating"])
            second = send(client, key, {"name": "slow"})
            assert (second.status, second.code) == (409, "IDEMPOTENCY_IN_PROGRESS")
            assert int(second.headers["retry-after"]) >= 1
            told = audit.events(client.service.database, client.account.id)[0]
            assert told.action == "database.create"  # and nothing was revealed
            assert send(client, key, {"name": "other"}).code == "IDEMPOTENCY_KEY_REUSED"
            (listed,) = client.list()["databases"]
            busy = client.ask("POST", f"{DATABASES}/{listed['id']}/rotate")
            assert (busy.status, busy.code, busy.headers["retry-after"]) == (409, "DATABASE_BUSY", "1")
            failed = first.result()
        assert (failed.status, failed.code) == (503, "ENGINE_UNAVAILABLE")
    found = insist(client, key, DATABASES, {"name": "slow"})
    assert found["id"] == listed["id"]
    assert opens(found)
    assert len(client.list()["databases"]) == 1


def _code(reply: Reply) -> str:
    return "ok" if reply.json["ok"] else reply.code
