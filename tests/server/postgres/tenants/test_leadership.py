"""One of several services leads, and what its predecessor has left running is ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime

import psycopg
import pytest

from server.postgres.errors import EngineUnavailable
from server.postgres.server import DatabaseServer
from server.postgres.tenants.leadership import CHANGES, LEADS, READS, Leadership
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.test_locking import until

Start = Callable[[], Provisioner]


@pytest.fixture
def start(server: DatabaseServer) -> Iterator[Start]:
    """Starts services on the same server, which nobody else changes."""
    started: list[Provisioner] = []
    with closing(Provisioner(server, needs_lead=False)) as first:
        first.fence()

    def one() -> Provisioner:
        started.append(Provisioner(server, needs_lead=False))
        return started[-1]

    yield one
    for each in started:
        each.close()


def end(server: DatabaseServer, application: str) -> None:
    """End a service's sessions, as a broken network would."""
    with server.connect() as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = %s",
            [application],
        )


def test_one_service_leads_until_it_resigns_or_its_session_dies(server: DatabaseServer, start: Start) -> None:
    first, second = start(), start()
    one, other = first.leadership, second.leadership
    assert not one.leads()
    assert [one.try_lead(), one.try_lead(), other.try_lead()] == [True, True, False]
    assert [one.leads(), other.leads()] == [True, False]
    one.resign()
    one.resign()
    assert [one.leads(), other.try_lead(), one.try_lead()] == [False, True, False]
    end(server, f"{LEADS} {second.service}")
    until(lambda: not other.leads())
    until(one.try_lead)
    one.resign()


def test_a_leader_that_says_nothing_loses_the_lead_to_the_next_and_finds_out(
    server: DatabaseServer, start: Start
) -> None:
    still, other = start(), start()
    # It says something a minute from now, as one that somebody has stopped does.
    silent = Leadership(lambda: server, still.service, beat=60)
    patient = Leadership(lambda: server, other.service, lease=60)
    hasty = Leadership(lambda: server, other.service, lease=0.2)
    assert silent.try_lead()
    for _ in range(30):
        assert not patient.try_lead()
        time.sleep(0.01)
    until(hasty.try_lead)
    assert [silent.leads(), silent.try_lead(), hasty.leads()] == [False, False, True]
    hasty.resign()


def test_a_leader_that_does_nothing_else_says_something_regularly(
    server: DatabaseServer, start: Start
) -> None:
    idle = start()
    living = Leadership(lambda: server, idle.service, beat=0.02)
    assert living.try_lead()
    for _ in range(3):
        before = _spoke(server, idle)
        until(lambda before=before: _spoke(server, idle) > before)
    living.resign()


def test_what_a_dead_leader_has_begun_is_ended_before_the_fence_returns(
    server: DatabaseServer, start: Start
) -> None:
    dead, ended = "twinpress changes 0123abcd", threading.Event()

    def change() -> None:
        with suppress(psycopg.Error), closing(server.connect(application=dead)) as connection:
            connection.execute("select pg_sleep(30)")
        ended.set()

    threading.Thread(target=change).start()
    leader = start()
    lead = leader.leadership
    assert lead.try_lead()
    until(lambda: _named(server, dead))
    assert leader.fence() == 1
    assert _named(server, dead) == 0
    assert ended.wait(5)
    assert leader.fence() == 0
    lead.resign()


def test_the_fence_spares_readers_the_leader_and_itself(server: DatabaseServer, start: Start) -> None:
    leader, follower = start(), start()
    lead = leader.leadership
    assert lead.try_lead()
    for each in (leader, follower):
        each.found()
        each.lock([])
    with server.connect(application=f"{READS} 0123abcd") as reader:
        assert follower.fence() == 0
        assert leader.fence() == 1
        assert reader.execute("select 1").fetchone() == (1,)
    assert lead.leads()
    for each in (leader, follower):
        each.found()
        each.lock([])
    lead.resign()


def test_a_session_that_died_is_replaced(server: DatabaseServer, start: Start) -> None:
    service = start()
    service.lock([])
    service.found()
    for kind in (CHANGES, READS):
        end(server, f"{kind} {service.service}")
        until(lambda kind=kind: _named(server, f"{kind} {service.service}") == 0)
    service.lock([])
    service.found()


def test_a_session_that_dies_in_use_says_try_again(server: DatabaseServer, start: Start) -> None:
    service = start()

    def broken() -> None:
        with service._changes.session() as connection:
            end(server, f"{CHANGES} {service.service}")
            connection.execute("select 1")

    with pytest.raises(EngineUnavailable):
        broken()
    service.lock([])


def _named(server: DatabaseServer, application: str) -> int:
    with server.connect() as connection:
        query = "select count(*) from pg_stat_activity where application_name = %s"
        row = connection.execute(query, [application]).fetchone()
        assert row
        return int(row[0])


def _spoke(server: DatabaseServer, service: Provisioner) -> datetime:
    """Return the time at which the leader has said something last."""
    with server.connect() as connection:
        query = "select state_change from pg_stat_activity where application_name = %s"
        row = connection.execute(query, [f"{LEADS} {service.service}"]).fetchone()
        assert row
        return row[0]  # type: ignore[no-any-return]
