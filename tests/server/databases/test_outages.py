"""Answers to clients while PostgreSQL or the service is away, with nothing lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.service.postgres_server import reached
from tests.server.api.exchange import Reply
from tests.server.databases.test_idempotency import insist, send
from tests.server.service.hosting import DATABASES, Client, Service, administer, connect, hosting, opens
from tests.server.service.place import postmaster, processes_of
from tests.waiting import PATIENCE, until

LETTERS = str.maketrans("0123456789", "cdefghijkl")
"""Ids have no 0, 1, 8 and 9."""


def killed_postgres(data: Path) -> None:
    """Kill PostgreSQL, which the service has started."""
    found = postmaster(data)
    assert found
    os.kill(found, signal.SIGKILL)
    until(lambda: postmaster(data) != found)


@contextmanager
def frozen(data: Path) -> Iterator[None]:
    """For the time of the block PostgreSQL says nothing, and refuses nothing."""
    found = postmaster(data)
    assert found
    there = processes_of(found)
    for process in there:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(there):
            os.kill(process, signal.SIGCONT)


def test_while_postgres_is_away_requests_are_answered_in_time_and_it_comes_back_by_itself(
    service: Service, client: Client
) -> None:
    made = client.create()
    with connect(made["connection_uri"]) as session:
        session.execute("CREATE TABLE t AS SELECT 7 AS n")
        killed_postgres(service.data)
        end, told = time.monotonic() + PATIENCE, set[tuple[int, str]]()
        while (reply := client.ask("GET", f"{DATABASES}/{made['id']}")).status != 200:
            told.add((reply.status, reply.code))
            assert int(reply.headers["retry-after"]) >= 1
            assert client.list()["databases"][0]["id"] == made["id"]
            assert time.monotonic() < end
        with pytest.raises(psycopg.OperationalError):
            session.execute("TABLE t")
    assert told <= {(503, "ENGINE_UNAVAILABLE")}
    assert reply.data["password"] == made["password"]
    until(lambda: opens(made))
    with connect(made["connection_uri"]) as session:
        assert session.execute("TABLE t").fetchone() == (7,)
    until(service.is_ready)


def test_a_change_that_was_asked_for_while_postgres_died_is_done_once(
    service: Service, client: Client
) -> None:
    made = client.create()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(insist, client, f"k{n}", DATABASES, {"name": f"n{n}"}) for n in range(4)]
        asked.append(threads.submit(insist, client, "k", f"{DATABASES}/{made['id']}/rotate", {}))
        killed_postgres(service.data)
        answers = [each.result() for each in asked]
    assert all(map(opens, answers))
    listed = client.list()["databases"]
    assert {one["id"] for one in listed} == {made["id"], *(one["id"] for one in answers)}
    assert {one["status"] for one in listed} == {"active"}
    assert client.reveal(made["id"])["password"] == answers[-1]["password"] != made["password"]


def test_while_postgres_stands_still_the_service_says_so_and_lists_go_on(
    service: Service, client: Client
) -> None:
    with ThreadPoolExecutor(12) as threads:
        with frozen(service.data):
            waiting = [threads.submit(client.ask, "POST", DATABASES, {"name": f"n{n}"}) for n in range(12)]
            until(lambda: not service.is_ready())
            assert client.list()["databases"] == []
            assert service.preview.get("/healthz").headers["retry-after"] == "1"
            assert service.preview.get("/readyz").status == 503
        assert {each.result().status for each in waiting} == {201}
    until(service.is_ready)
    assert len(client.list()["databases"]) == 12


NO_ROOM = """
CREATE FUNCTION public.no_room() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'no_room') THEN
        RAISE EXCEPTION 'could not write file "base/secret"' USING ERRCODE = 'disk_full';
    END IF;
END $$;
CREATE EVENT TRIGGER no_room ON ddl_command_start EXECUTE FUNCTION public.no_room()"""


@contextmanager
def without_room(service: Service) -> Iterator[None]:
    """For the time of the block PostgreSQL says in each new database that its disk is full."""
    server = reached(service.data, service.database, "")
    assert server
    with server.connect() as admin:
        ((template,),) = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'twinpress%'")
        admin.execute(f"ALTER DATABASE {template} ALLOW_CONNECTIONS true".encode())
        with server.connect(template) as inner:
            inner.execute(NO_ROOM)
        admin.execute(f"ALTER DATABASE {template} ALLOW_CONNECTIONS false".encode())
        admin.execute("CREATE ROLE no_room")
        try:
            yield
        finally:
            admin.execute("DROP ROLE no_room")


def test_a_full_disk_is_told_and_what_was_begun_is_finished_when_there_is_room(
    data: Path,
) -> None:
    with hosting(data) as service:
        client = service.client()
        with without_room(service):
            reply = client.ask("POST", DATABASES, {"name": "orders"})
            assert (reply.status, reply.code) == (507, "STORAGE_FULL")
            assert "secret" not in reply.json["error"]
            (made,) = client.list()["databases"]
            assert (made["name"], made["status"]) == ("orders", "creating")
        until(lambda: client.list()["databases"][0]["status"] == "active")
        assert opens(client.reveal(made["id"]))


def test_a_password_that_the_databases_own_user_has_changed_is_said_to_be_out_of_sync(client: Client) -> None:
    made = send(client, "k").data
    with connect(made["connection_uri"]) as session:
        session.execute("ALTER ROLE CURRENT_USER PASSWORD 'chosen by its own user'")
    replies = [client.ask("GET", f"{DATABASES}/{made['id']}"), send(client, "k")]
    assert {(reply.status, reply.code) for reply in replies} == {(409, "PASSWORD_OUT_OF_SYNC")}
    assert opens(made, "chosen%20by%20its%20own%20user")
    assert client.list()["databases"][0]["status"] == "active"
    rotated = client.rotate(made["id"])
    assert opens(rotated)
    assert not opens(made, "chosen%20by%20its%20own%20user")
    assert client.reveal(made["id"])["password"] == rotated["password"]


def test_a_fault_of_ours_has_the_form_of_every_answer_and_tells_nothing(
    service: Service, client: Client
) -> None:
    made = client.create()
    sql = "UPDATE databases SET password = (SELECT password FROM databases WHERE id <> ?) WHERE id = ?"
    service.client().create()
    service.database.write(sql, (made["id"], made["id"]))
    reply = client.ask("GET", f"{DATABASES}/{made['id']}")
    assert (reply.status, reply.code) == (500, "INTERNAL")
    assert reply.headers["x-request-id"] in reply.json["error"]
    service.preview.says(f"Twinpress failed to answer GET {DATABASES}/{made['id']}")
    assert client.rotate(made["id"])["password"] == client.reveal(made["id"])["password"]


@pytest.mark.parametrize("plan", ["free", "premium"])
def test_of_fifty_creations_at_once_exactly_as_many_succeed_as_the_plan_allows(
    service: Service, plan: Any
) -> None:
    client, most = service.client(plan), {"free": 3, "premium": 50}[plan]
    if plan == "premium":  # one is left: the others are rows alone, which is quicker
        _fill(service, client, most - 1)
    there = _on_server(service)
    with ThreadPoolExecutor(50) as threads:
        replies = list(threads.map(lambda _: patiently(client, "POST", DATABASES), range(50)))
    made = [reply.data["id"] for reply in replies if reply.status == 201]
    refused = {(reply.status, reply.code) for reply in replies if reply.status != 201}
    assert (len(made), refused) == (3 if plan == "free" else 1, {(403, "DATABASE_LIMIT_REACHED")})
    assert _on_server(service) - there == set(made)
    assert len(client.list()["databases"]) == most
    administer(service, "database", "delete", made[0])
    assert client.create()["id"] not in made
    assert client.ask("POST", DATABASES).code == "DATABASE_LIMIT_REACHED"


def patiently(client: Client, method: str, path: str) -> Reply:
    """Ask until there are not too many other requests of the key on their way."""

    def heard() -> Reply | None:
        reply = client.ask(method, path)
        return reply if reply.status != 429 else None

    return until(heard, pause=0.05)


def _on_server(service: Service) -> set[str]:
    with service.administrator() as connection:
        found = connection.execute(
            "SELECT rolname FROM pg_roles r JOIN pg_database d ON d.datname = r.rolname"
        )
        return {name for (name,) in found}


def _fill(service: Service, client: Client, count: int) -> None:
    (named,) = [client.create()["id"]]
    with service.database.change() as change:
        for number in range(count - 1):
            change.write(
                """INSERT INTO databases (id, account, number, name, folded_name, generation, applied,
                password, connection_limit, obeyed_suspensions, created_at, updated_at)
                SELECT ?, account, ?, ?, ?, generation, applied, password, connection_limit, 0, 1, 1
                FROM databases WHERE id = ?""",
                (f"db_{number:b>16}".translate(LETTERS), number + 2, f"n{number}", f"n{number}", named),
            )
