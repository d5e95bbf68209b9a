"""Names that a database may have."""

from __future__ import annotations

import pytest

from tests.server.databases.test_requests import SOME
from tests.server.service.hosting import DATABASES, Client, Service

NAMES = ["", "1a", "-a", "_a", "a b", "a" * 64, "ä", "a;drop", "a\n", "a.b", "a/b", "..", "a'b", "\u0000"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_none_is_refused(client: Client, name: str) -> None:
    reply = client.ask("POST", DATABASES, {"name": name})
    assert (reply.status, reply.code) == (400, "INVALID_NAME")


def test_a_name_is_kept_as_it_is_and_taken_once_whatever_its_case(client: Client) -> None:
    for name in ("Orders", "a", "a" * 63, "A-b_9", "postgres", "template1", "null"):
        assert client.create(name)["name"] == name
    taken = client.ask("POST", DATABASES, {"name": "ORDERS"})
    assert (taken.status, taken.code) == (409, "NAME_TAKEN")
    nameless = client.create()
    assert nameless["name"] == nameless["id"]


@pytest.mark.parametrize("name", [SOME, SOME.upper(), "Db_AbCdEfGh234567zz", "its own", "another's"])
def test_a_name_is_not_like_the_id_of_any_database(service: Service, client: Client, name: str) -> None:
    ids = {"its own": client, "another's": service.client("free")}
    name = ids[name].create()["id"] if name in ids else name
    before = client.list()["databases"]
    reply = client.ask("POST", DATABASES, {"name": name})
    assert (reply.status, reply.code) == (400, "INVALID_NAME")
    assert "looks like the id of a database" in reply.json["error"]
    assert client.list()["databases"] == before


@pytest.mark.parametrize("name", [SOME[:-1], f"{SOME}a", SOME.replace("_", "-"), f"{SOME[:-1]}1", f"x{SOME}"])
def test_a_name_that_is_nearly_like_an_id_is_taken(client: Client, name: str) -> None:
    assert client.create(name)["name"] == name
