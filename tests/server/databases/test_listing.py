"""The list of databases comes in pages, which stay in step while databases come and go."""

from __future__ import annotations

import base64

import pytest

from tests.server.service.hosting import DATABASES, Client, Service, administer
from tests.waiting import until


@pytest.fixture(scope="module")
def of_five(service: Service) -> Client:
    """A client of an account with five databases."""
    client = service.client()
    for number in range(5):
        client.create(f"n{number}")
    return client


def pages(client: Client, limit: int) -> list[list[str]]:
    """The ids of all pages."""
    found, query = [], f"?limit={limit}"
    while True:
        page = client.list(query)
        found.append([one["id"] for one in page["databases"]])
        if page["next_cursor"] is None:
            return found
        query = f"?limit={limit}&cursor={page['next_cursor']}"


@pytest.mark.parametrize(("limit", "sizes"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (6, [5]), (200, [5])])
def test_pages_have_each_database_once(of_five: Client, limit: int, sizes: list[int]) -> None:
    found = pages(of_five, limit)
    assert [len(page) for page in found] == sizes
    assert [id for page in found for id in page] == [one["id"] for one in of_five.list()["databases"]]


def test_a_list_goes_from_old_to_new_and_has_no_passwords(of_five: Client) -> None:
    listed = of_five.list()["databases"]
    assert [one["created_at"] for one in listed] == sorted(one["created_at"] for one in listed)
    assert not [one for one in listed if {"password", "connection_uri"} & one.keys()]
    assert listed[0].keys() | {"password", "connection_uri"} == of_five.reveal(listed[0]["id"]).keys()


def test_an_account_without_databases_has_an_empty_list(client: Client) -> None:
    assert client.list() == {"databases": [], "next_cursor": None}


LIMITS = ["0", "-1", "201", "1000", "00000001", "1.0", "1e1", "x", "", "%201", "+1", "%D9%A1", "%00", "1%0a"]


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_a_number_from_1_to_200(of_five: Client, limit: str) -> None:
    assert of_five.ask("GET", f"{DATABASES}?limit={limit}").code == "INVALID_QUERY"


def text(place: str) -> str:
    """A place as a cursor."""
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


CURSORS = [
    "",
    "x",
    "====",
    "%00",
    "ä",
    "a" * 5000,
    "null",
    "0",
    *map(text, ["x", "1", "databases:", "databases:-1", "databases:1e5", "databases:٣", "databases: 1"]),
    text("databases:" + "9" * 19),
    text("databases:1") + "%0a",
    text("databases:1") + "!",
    text("databases:\ud7ff"),
]


@pytest.mark.parametrize("cursor", CURSORS, ids=range(len(CURSORS)))
def test_a_cursor_that_is_none_is_refused(of_five: Client, cursor: str) -> None:
    reply = of_five.ask("GET", f"{DATABASES}?cursor={cursor.replace('ä', '%C3%A4')}")
    assert (reply.status, reply.code) == (400, "INVALID_QUERY"), reply.body


@pytest.mark.parametrize("number", [0, 1, 3, 10**17])
def test_a_made_up_cursor_shows_nothing_of_others(service: Service, of_five: Client, number: int) -> None:
    mine, made_up = {one["id"] for one in of_five.list()["databases"]}, text(f"databases:{number}")
    assert {one["id"] for one in of_five.list(f"?cursor={made_up}")["databases"]} <= mine
    assert service.client().list(f"?cursor={made_up}")["databases"] == []


def test_a_cursor_goes_on_where_it_was_while_databases_are_made_and_deleted(
    service: Service, client: Client
) -> None:
    for _ in range(4):
        client.create()
    before = [one["id"] for one in client.list()["databases"]]
    first = client.list("?limit=2")
    for id in (before[1], before[2]):
        administer(service, "database", "delete", id)
    until(lambda: {one["id"] for one in client.list()["databases"]} == {before[0], before[3]})
    until(lambda: "deleting" not in {one["status"] for one in client.list()["databases"]})
    rest = client.list(f"?limit=2&cursor={first['next_cursor']}")
    assert [one["id"] for one in rest["databases"]] == [before[3]]


def test_a_deleted_database_is_listed_until_it_is_gone_and_answers_no_more(
    service: Service, client: Client
) -> None:
    made = client.create("orders")
    administer(service, "database", "delete", made["id"])
    assert {one["status"] for one in client.list()["databases"]} <= {"deleting"}
    assert client.ask("GET", f"{DATABASES}/{made['id']}").code == "DATABASE_NOT_FOUND"
    assert client.ask("POST", f"{DATABASES}/{made['id']}/rotate").code == "DATABASE_NOT_FOUND"
    assert client.create("orders")["id"] != made["id"]
