"""The service stops, is killed, starts again, and runs twice on one folder: databases stay as they are."""

from __future__ import annotations

import http.client
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.server.databases.test_idempotency import insist, send, stuck
from tests.server.service.hosting import DATABASES, Client, administer, hosting, opens
from tests.server.service.place import postmaster
from tests.waiting import until


def test_a_restart_keeps_host_and_port_and_connection_strings(data: Path) -> None:
    with hosting(data) as service:
        client = service.client()
        made = client.create("orders")
    assert postmaster(data) is None
    assert not opens(made)
    with hosting(data) as service:
        again = Client(service, client.key, client.account)
        assert opens(made)
        found = again.reveal(made["id"])
        assert found | {"size_bytes": None} == made | {"size_bytes": None}


def test_a_request_whose_service_was_killed_is_done_once_by_the_next_one(data: Path) -> None:
    with hosting(data) as service:
        client = service.client()
        made = client.create("first")
        with ThreadPoolExecutor(2) as threads, stuck(service):
            asked = threads.submit(send, client, "k", {"name": "second"})
            until(lambda: len(client.list()["databases"]) == 2)
            service.kill()
            with pytest.raises((OSError, http.client.HTTPException)):
                asked.result()
    running = postmaster(data)
    assert running
    assert opens(made)  # PostgreSQL goes on by itself
    with hosting(data) as service:
        assert postmaster(data) == running  # and is taken over
        again = Client(service, client.key, client.account)
        assert opens(insist(again, "k", DATABASES, {"name": "second"}))
        assert [one["name"] for one in again.list()["databases"]].count("second") == 1
    assert postmaster(data) is None


def test_of_two_services_on_one_folder_the_second_takes_over_when_the_first_is_killed(data: Path) -> None:
    with hosting(data) as first, hosting(data) as second:
        one = first.client()
        two = Client(second, one.key, one.account)
        made, other = one.create("one"), two.create("two")
        assert two.reveal(made["id"])["password"] == made["password"]
        assert opens(two.rotate(made["id"]))
        assert opens(one.rotate(other["id"]))
        assert {each["name"] for each in one.list()["databases"]} == {"one", "two"}
        with ThreadPoolExecutor(6) as threads:
            sent = list(threads.map(lambda n: insist((one, two)[n % 2], "k", DATABASES, {}), range(6)))
        assert len({each["id"] for each in sent}) == 1
        running = postmaster(data)
        first.kill()
        third = two.create("three")
        assert opens(third)
        assert opens(two.reveal(made["id"]))
        assert postmaster(data) == running
        second.preview.says("PostgreSQL is ready, after")
        administer(second, "account", "suspend", one.account.email)
        assert not opens(third)
        administer(second, "account", "clear", one.account.email)
        assert opens(third)
    assert postmaster(data) is None


def test_a_leader_that_stands_still_is_deposed_and_obeys_when_it_goes_on(data: Path) -> None:
    with hosting(data) as first, hosting(data) as second:
        one = first.client()
        two = Client(second, one.key, one.account)
        made = one.create("one")
        first.process.send_signal(signal.SIGSTOP)
        try:
            assert opens(two.create("two"))  # within the time that a request waits
            rotated = two.rotate(made["id"])
            assert opens(rotated)
        finally:
            first.process.send_signal(signal.SIGCONT)
        second.preview.says("leads and says nothing: it is deposed")
        assert insist(one, "k", f"{DATABASES}/{made['id']}/rotate", {})["password"] != rotated["password"]
        assert not opens(rotated)
        assert opens(two.reveal(made["id"]))
        assert opens(insist(one, "l", DATABASES, {"name": "three"}))
        until(first.is_ready)
    assert postmaster(data) is None


def test_when_the_leader_stops_the_other_goes_on_and_postgres_with_it(data: Path) -> None:
    with hosting(data) as first, hosting(data) as second:
        made = first.client().create()
        assert first.preview.stop() == 0
        assert opens(made)
        assert opens(second.client().create())
    assert postmaster(data) is None


def test_what_is_under_way_when_the_service_is_told_to_stop_comes_to_its_end(data: Path) -> None:
    with hosting(data) as service:
        client = service.client()
        with ThreadPoolExecutor(6) as threads:
            asked = [threads.submit(send, client, f"k{n}", {"name": f"n{n}"}) for n in range(6)]
            until(lambda: service.database.read("SELECT COUNT(*) FROM databases") != [(0,)])
            assert service.preview.stop() == 0
        answered = [each.result() for each in asked if each.exception() is None]
        assert answered
        assert {reply.status for reply in answered} == {201}
    with hosting(data) as service:
        again = Client(service, client.key, client.account)
        assert all(opens(again.reveal(reply.data["id"])) for reply in answered)
        made = [insist(again, f"k{n}", DATABASES, {"name": f"n{n}"}) for n in range(6)]
        assert {reply.data["id"] for reply in answered} <= {each["id"] for each in made}
        assert len(again.list()["databases"]) == 6
