"""Locks against tenants that do not want to go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest

from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.tenant import CONNECTIONS, Tenant
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until


@contextmanager
def stubborn(tenant: Tenant, clients: int, *statements: str) -> Iterator[None]:
    """Clients that connect, run statements, stay, and come back at once."""
    stopped = threading.Event()

    def run() -> None:
        while not stopped.is_set():
            with suppress(psycopg.Error), tenant.connect() as session:
                for each in statements:
                    session.execute(each.encode())
                session.execute("select pg_sleep(20)")

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def sessions(server: DatabaseServer, tenant: Tenant) -> int:
    with server.connect() as connection:
        row = connection.execute(
            "select count(*) from pg_stat_activity where usename = %s or datname = %s", [tenant.name] * 2
        ).fetchone()
        assert row
        return int(row[0])


def test_a_lock_holds_against_six_clients_that_come_back(
    provisioner: Provisioner, server: DatabaseServer, tenant: Tenant
) -> None:
    provisioner.set_connections(tenant.name, 6)
    with stubborn(tenant, 6):
        for _ in range(3):
            until(lambda: sessions(server, tenant) >= 3)
            with in_time(PATIENCE):
                provisioner.lock([tenant.name])
            for _ in range(10):
                assert sessions(server, tenant) == 0
                assert "not permitted to log in" in tenant.refusal()
            provisioner.unlock({tenant.name: 6})
        provisioner.lock([tenant.name])


@pytest.mark.parametrize(
    "held",
    [
        ["begin", "alter role current_user password 'x'"],
        ["begin", "alter role current_user set work_mem = '1MB'"],
        ["begin", "alter schema public owner to current_user", "grant all on schema public to public"],
        ["begin", "lock table pg_class in access share mode", "create table t (i int)"],
    ],
)
def test_a_tenant_that_holds_its_own_role_cannot_keep_us_from_anything(
    provisioner: Provisioner, server: DatabaseServer, tenant: Tenant, held: list[str]
) -> None:
    verifier = scram_verifier(tenant.password)
    actions = (
        lambda: provisioner.set_password(tenant.name, verifier),
        lambda: provisioner.set_connections(tenant.name, CONNECTIONS),
        lambda: provisioner.set_full(tenant.name, True),
        lambda: provisioner.set_full(tenant.name, False),
        lambda: provisioner.unlock({tenant.name: CONNECTIONS}),
        lambda: provisioner.create(tenant.name, verifier, CONNECTIONS),
        lambda: provisioner.lock([tenant.name]),
    )
    with stubborn(tenant, 2, *held):
        for act in actions:
            until(lambda: sessions(server, tenant))
            act()
        assert sessions(server, tenant) == 0
    assert "not permitted to log in" in tenant.refusal()


def test_a_lock_leaves_others_alone(provisioner: Provisioner, tenant: Tenant, other: Tenant) -> None:
    with tenant.connect() as session, other.connect() as theirs:
        provisioner.lock([tenant.name, "db_aaaaaaaaaaaaaaaa"])
        with pytest.raises(psycopg.errors.AdminShutdown):
            session.execute("select 1")
        assert theirs.execute("select 1").fetchone() == (1,)
    found = provisioner.found()
    assert (found[tenant.name].login, found[other.name].login) == (False, True)


def test_a_lock_ends_what_runs(provisioner: Provisioner, tenant: Tenant) -> None:
    caught = "begin perform pg_sleep(60); exception when query_canceled then null; end"
    loop = f"do $$ begin loop {caught}; end loop; end $$"
    asleep = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
    with ExitStack() as stack:
        session = stack.enter_context(tenant.connect())
        ended = threading.Event()

        def run() -> None:
            with suppress(psycopg.Error):
                session.execute(loop)
            ended.set()

        threading.Thread(target=run).start()
        until(lambda: tenant.runs(asleep) == [[1]])
        provisioner.lock([tenant.name])
        assert ended.wait(5)
    provisioner.unlock({tenant.name: CONNECTIONS})
    assert tenant.refusal() == ""
