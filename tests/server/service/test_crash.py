"""The service among kills and reconnecting clients: the short forms. `crash.py` has the long one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from server.hosting.hosted import disobedient
from tests.server.hosting.world import world
from tests.server.postgres.clusters import cluster, open_folder
from tests.server.service.crash import POSTGRES_EVERY, crash
from tests.waiting import until

CLIENTS = 6


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.mark.parametrize("kills", [POSTGRES_EVERY, pytest.param(6 * POSTGRES_EVERY, marks=pytest.mark.slow)])
def test_nothing_that_was_acknowledged_is_lost_by_kills_of_the_service_and_of_postgresql(
    folder: Path, kills: int
) -> None:
    report = crash(folder / "data", kills)
    assert (report.kills, report.kills_of_postgres) == (kills, kills // POSTGRES_EVERY)
    assert report.faults == {}
    assert max(report.recoveries) < 20, (
        report.recoveries
    )  # a second or two on a quiet machine, where 5 is the aim
    assert report.checked > kills
    assert {"create", "rotate", "suspend", "clear"} <= report.acknowledged.keys()


def test_no_client_that_reconnects_all_the_time_gets_past_a_suspension(folder: Path) -> None:
    with cluster() as server, world(folder / "data", server) as service:
        until(service.leader.leads)
        account = service.account()
        made = [service.create(account) for _ in range(3)]
        stop, logins = threading.Event(), [0] * CLIENTS

        def knock(number: int) -> None:
            while not stop.is_set():
                with suppress(psycopg.Error), service.connect(made[number % len(made)]) as connection:
                    logins[number] += 1
                    connection.execute("SELECT pg_sleep(0.005)")

        threads = [threading.Thread(target=knock, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            until(lambda: min(logins) > 2)
            service.accounts.suspend(account.id)
            until(lambda: not disobedient(service.database, account.id))
            time.sleep(0.3)  # who got in before has counted it by now
            before = list(logins)
            names = [each.row.id for each in made]
            with server.connect() as admin:
                left = "SELECT count(*) FROM pg_stat_activity WHERE usename = ANY (%s) AND state IS NOT NULL"
                assert admin.execute(left, [names]).fetchone() == (0,)
                assert not any(service.opens(each) for each in made)
                assert admin.execute(left, [names]).fetchone() == (0,)
            assert logins == before
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        service.accounts.clear(account.id)
        until(lambda: all(service.opens(each) for each in made))
