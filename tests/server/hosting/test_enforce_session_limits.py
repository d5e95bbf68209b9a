"""Long statements of tenants are ended, but not while the operator dumps or restores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import psycopg
import pytest

from server.hosting.enforce_session_limits import LONGEST, SessionLimits, spare, spared
from server.hosting.hosting_service import Revealed
from server.postgres.errors import EngineUnavailable
from server.postgres.tenants.provisioning import Provisioner
from server.postgres.tenants.tenant_settings import TenantSettings
from tests.server.hosting.world import World
from tests.waiting import PATIENCE, until

FRUGAL = TenantSettings(most_locks=500)


def test_a_long_statement_is_ended_unless_its_database_is_spared(service: World) -> None:
    made = service.create(service.account())
    strict = TenantSettings(longest_statement_seconds=0)
    with (
        closing(Provisioner(service.server, strict, needs_lead=False)) as provisioner,
        ThreadPoolExecutor(1) as threads,
    ):
        limits = SessionLimits(service.database, provisioner, service.applier.plans, service.applier.clock)
        with spare(service.database, made.row.id):
            ended = threads.submit(_sleep, service, made)
            until(lambda: _is_active(service, made.row.id))
            limits.run()
            assert _is_active(service, made.row.id)
        limits.run()
        with pytest.raises(psycopg.OperationalError):
            ended.result(PATIENCE)


def test_a_look_that_has_failed_is_not_the_last_one(service: World) -> None:
    made = service.create(service.account())
    strict = TenantSettings(longest_idle_seconds=0)
    with (
        closing(Provisioner(service.server, strict, needs_lead=False)) as provisioner,
        service.connect(made) as session,
    ):
        limits = SessionLimits(service.database, provisioner, service.applier.plans, service.applier.clock)
        with service.server.connect() as admin, admin.transaction():
            admin.execute("LOCK TABLE pg_catalog.pg_locks IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(EngineUnavailable):
                limits.run()
        session.execute("BEGIN")
        limits.run()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")


def test_a_reprieve_whose_program_has_died_ends_by_itself(service: World) -> None:
    with spare(service.database, "db_x"):
        now = service.applier.clock()
        assert spared(service.database, now) == ["db_x"]
        assert spared(service.database, now + LONGEST + 1) == []
    assert spared(service.database, now) == []


def test_locks_of_all_sessions_of_a_tenant_count_and_those_with_few_go_on(service: World) -> None:
    made = service.create(service.account())
    with ExitStack() as stack:
        provisioner = stack.enter_context(closing(Provisioner(service.server, FRUGAL, needs_lead=False)))
        greedy = [stack.enter_context(_holding(service, made, first, 300)) for first in (0, 1000)]
        modest = stack.enter_context(_holding(service, made, 2000, 10))
        processes = {each.info.backend_pid for each in greedy}
        assert {each.process for each in provisioner.enforce_limits()} == processes
        assert modest.execute("SELECT 1").fetchone() == (1,)


def test_who_is_spared_may_hold_many_locks(service: World) -> None:
    made = service.create(service.account())
    with (
        closing(Provisioner(service.server, FRUGAL, needs_lead=False)) as provisioner,
        _holding(service, made, 0, 600) as held,
    ):
        assert provisioner.enforce_limits([made.row.id]) == []
        assert held.execute("SELECT 1").fetchone() == (1,)
        assert [each.why for each in provisioner.enforce_limits()] == ["locks"]


@contextmanager
def _holding(
    service: World, made: Revealed, first: int, count: int
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with service.connect(made) as session:
        session.execute(
            "SELECT count(pg_advisory_lock(%s + g)) FROM generate_series(1, %s) g", [first, count]
        )
        yield session


def _sleep(service: World, made: Revealed) -> None:
    with service.connect(made) as connection:
        connection.execute("SELECT pg_sleep(30)")


def _is_active(service: World, name: str) -> bool:
    with service.server.connect() as admin:
        found = admin.execute(
            "SELECT 1 FROM pg_stat_activity WHERE usename = %s AND state = 'active'", [name]
        ).fetchall()
    return bool(found)
