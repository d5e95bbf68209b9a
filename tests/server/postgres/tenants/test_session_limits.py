"""Tenants lift the limits of their own sessions, and are ended all the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import psycopg
import pytest

from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from server.postgres.tenants.tenant_settings import TenantSettings
from tests.server.postgres.tenants.tenant import Tenant
from tests.server.postgres.tenants.test_locking import until

LIFTED = ["set statement_timeout = 0", "set idle_in_transaction_session_timeout = 0"]
CATCHING = """
do $$ begin perform pg_sleep(30); exception when query_canceled then perform pg_sleep(30); end $$"""
STRICT = TenantSettings(longest_statement_seconds=1, longest_idle_seconds=1, most_locks=500)


@pytest.fixture
def strict(server: DatabaseServer) -> Iterator[Provisioner]:
    provisioner = Provisioner(server, STRICT, needs_lead=False)
    yield provisioner
    provisioner.close()


@contextmanager
def behaving(tenant: Tenant, *statements: str) -> Iterator[psycopg.Connection]:
    """A session that has run all statements, or is still at the last one."""
    with closing(tenant.connect()) as session:

        def run() -> None:
            with suppress(psycopg.Error):
                for each in statements:
                    session.execute(each.encode())

        thread = threading.Thread(target=run)
        thread.start()
        yield session
        thread.join()


@pytest.mark.parametrize(
    ("statements", "why", "least"),
    [
        ([*LIFTED, "select pg_sleep(30)"], "statement", 1),
        ([CATCHING], "statement", 1),
        ([*LIFTED, "begin"], "idle in transaction", 1),
        ([*LIFTED, "begin", "select 1/0"], "idle in transaction", 1),
        (["select count(pg_advisory_lock(g)) from generate_series(1, 600) g"], "locks", 0),
    ],
)
def test_what_takes_too_long_or_too_much_is_ended(
    strict: Provisioner, tenant: Tenant, other: Tenant, statements: list[str], why: str, least: float
) -> None:
    """`least` is for how many seconds it may be there: sooner none is ended."""
    found = []
    with other.connect() as theirs, behaving(tenant, *statements):
        until(lambda: found.extend(strict.enforce_limits()) or found)
        assert theirs.execute("select 1").fetchone() == (1,)
    assert [(one.name, one.why) for one in found] == [(tenant.name, why)]
    assert found[0].seconds >= least


def test_a_transaction_that_is_kept_open_is_ended(server: DatabaseServer, tenant: Tenant) -> None:
    strict = Provisioner(server, TenantSettings(longest_transaction_seconds=1), needs_lead=False)
    found = []
    with closing(tenant.connect()) as session, suppress(psycopg.errors.AdminShutdown):
        session.execute("begin")

        def ended() -> bool:
            session.execute("select 1")
            found.extend(strict.enforce_limits())
            return bool(found)

        until(ended)
    assert [(one.name, one.why) for one in found] == [(tenant.name, "transaction")]
    strict.close()


def test_who_keeps_to_the_limits_is_left_alone(
    provisioner: Provisioner, strict: Provisioner, tenant: Tenant
) -> None:
    with tenant.connect() as idle, behaving(tenant, "begin", "select pg_sleep(1)", "commit"):
        assert [one for one in provisioner.enforce_limits() if one.name == tenant.name] == []
        assert idle.execute("select count(pg_advisory_lock(g)) from generate_series(1, 400) g").fetchone()
        assert [one for one in strict.enforce_limits() if one.name == tenant.name] == []


def test_the_administrator_is_no_tenant(server: DatabaseServer, strict: Provisioner, tenant: Tenant) -> None:
    with server.connect(tenant.name) as ours:
        ours.execute("begin")
        ours.execute("select pg_sleep(1.2)")
        assert strict.enforce_limits() == []


BURN = "do $$ begin for i in 1..%d loop perform pg_current_xact_id(); commit; end loop; end $$"


def test_who_keeps_numbers_of_transactions_in_use_is_ended_before_there_are_none(
    server: DatabaseServer, tenant: Tenant, other: Tenant
) -> None:
    with closing(Provisioner(server, TenantSettings(most_transactions=5000), needs_lead=False)) as strict:
        strict.enforce_limits()  # what it compares with must not be the number of this moment
        with closing(tenant.connect()) as own, closing(tenant.connect()) as seen, other.connect() as theirs:
            own.execute("begin; select pg_current_xact_id()")
            seen.execute("begin isolation level repeatable read; select 1")
            theirs.execute((BURN % 6000).encode())
            theirs.execute("begin; select pg_current_xact_id()")
            found = strict.enforce_limits()
            assert theirs.execute("select 1").fetchone() == (1,)
            theirs.execute("commit")
    assert sorted((one.name, one.why) for one in found) == [(tenant.name, "age")] * 2


def test_a_temporary_table_keeps_no_numbers_of_transactions_for_ever(
    server: DatabaseServer, tenant: Tenant, other: Tenant
) -> None:
    with closing(tenant.connect()) as keeping, other.connect() as theirs:
        keeping.execute("create temp table t (i int)")
        # Sizes, dates and ages of both databases are alike, but one of them is looked at alone.
        theirs.execute((BURN % 6000).encode())
        strict = TenantSettings(most_transactions=2000, longest_idle_seconds=0)
        with closing(Provisioner(server, strict, needs_lead=False)) as looking:
            found = looking.enforce_limits(spare=[other.name])
        assert [(one.name, one.why) for one in found] == [(tenant.name, "age")]
        with closing(
            Provisioner(server, TenantSettings(most_transactions=2000), needs_lead=False)
        ) as patient:
            assert patient.enforce_limits(spare=[tenant.name]) == [], (
                "a session that is new may go on for a time"
            )


LOCK = """
do $$ begin for i in 1..%d loop perform * from shared for share; commit; end loop; end $$"""


@contextmanager
def locking_together(tenant: Tenant) -> Iterator[Callable[[int], None]]:
    """Makes so many groups of transactions that have locked a row together."""
    with closing(tenant.connect()) as first, closing(tenant.connect()) as second:
        first.execute("create table shared (i int)")
        first.execute("insert into shared values (1)")

        def lock(count: int) -> None:
            first.execute("begin")
            first.execute("select * from shared for share")
            second.execute((LOCK % count).encode())
            first.execute("commit")

        yield lock


def test_who_keeps_files_of_groups_that_have_locked_a_row_is_ended(
    server: DatabaseServer, tenant: Tenant, other: Tenant
) -> None:
    with (
        closing(Provisioner(server, TenantSettings(most_multixacts=500), needs_lead=False)) as strict,
        locking_together(other) as lock,
        closing(tenant.connect()) as keeping,
        closing(tenant.connect()) as idle,
    ):
        keeping.execute("begin; select 1")
        strict.enforce_limits()
        lock(300)
        assert strict.enforce_limits() == [], "so few do no harm"
        lock(300)
        idle.execute("begin; select 1")
        found = strict.enforce_limits()
        assert idle.execute("select 1").fetchone() == (1,), "it began afterwards"
    assert [(one.name, one.why) for one in found] == [(tenant.name, "groups")]


def test_a_temporary_table_keeps_no_files_of_groups_for_ever(
    server: DatabaseServer, tenant: Tenant, other: Tenant
) -> None:
    strict = TenantSettings(most_multixacts=200, longest_idle_seconds=0)
    with (
        closing(Provisioner(server, strict, needs_lead=False)) as looking,
        locking_together(other) as lock,
        closing(tenant.connect()) as keeping,
    ):
        keeping.execute("create temp table t (i int)")
        looking.enforce_limits(spare=[other.name])
        lock(500)
        with closing(tenant.connect()) as new:
            found = looking.enforce_limits(spare=[other.name])
            assert new.execute("select 1").fetchone() == (1,), "it began afterwards"
    assert [(one.name, one.why) for one in found] == [(tenant.name, "groups")]
