"""A tenant that has used up its room reads, deletes after asking, and gets its rights back."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.tenant import CONNECTIONS, Tenant

READ_ONLY = "25006"
DENIED = "42501"


@pytest.fixture
def filled(tenant: Tenant, provisioner: Provisioner) -> Tenant:
    """A tenant with a table of some megabytes, over its quota."""
    fill = "insert into t select g, repeat('x', 1000) from generate_series(1, 3000) g"
    assert tenant.runs("create table t (i int, x text)", fill) == "done"
    provisioner.set_full(tenant.name, True)
    return tenant


@pytest.mark.parametrize(
    ("statements", "came"),
    [
        (["select count(*) from t"], [[3000]]),
        (["insert into t values (0, 'x')"], READ_ONLY),
        (["create table u (i int)"], READ_ONLY),
        (["begin", "set transaction read write", "delete from t where i > 10", "commit"], "done"),
        (["begin", "set transaction read write", "truncate t", "commit"], "done"),
        (["begin", "set transaction read write", "drop table t", "commit"], "done"),
        (["begin", "set transaction read write", "create table u (i int)"], DENIED),
        (["begin", "set transaction read write", "create schema s"], DENIED),
        (["begin", "set transaction read write", "create extension hstore"], DENIED),
        (["vacuum full t"], "done"),
        (["set default_transaction_read_only = off", "create schema s"], DENIED),
    ],
)
def test_a_full_tenant_reads_and_makes_room(filled: Tenant, statements: list[str], came: object) -> None:
    assert filled.runs(*statements) == came


def test_a_full_tenant_comes_down_again(filled: Tenant, provisioner: Provisioner) -> None:
    before = provisioner.sizes()[filled.name]
    with filled.connect() as session:
        with session.transaction():
            session.execute("set transaction read write")
            session.execute("delete from t")
        session.execute("vacuum full t")
    assert provisioner.sizes()[filled.name] < before - 2_000_000
    for _ in range(2):
        provisioner.set_full(filled.name, False)
    assert filled.runs("create table u (i int)", "create schema s", "insert into t values (1, 'x')") == "done"


def test_sessions_that_are_there_obey_too(tenant: Tenant, provisioner: Provisioner) -> None:
    with tenant.connect() as session:
        provisioner.set_full(tenant.name, True)
        with pytest.raises(psycopg.errors.AdminShutdown):
            session.execute("select 1")
    with tenant.connect() as idle, tenant.connect() as busy:
        busy.execute("begin")
        provisioner.set_full(tenant.name, False)
        assert busy.execute("select 1").fetchone() == (1,)
        with pytest.raises(psycopg.errors.AdminShutdown):
            idle.execute("select 1")


def test_what_is_full_is_known_and_outlives_a_lock(tenant: Tenant, provisioner: Provisioner) -> None:
    for full in (True, True, False):
        provisioner.lock([tenant.name])
        provisioner.set_full(tenant.name, full)
        provisioner.unlock({tenant.name: 3})
        found = provisioner.found()[tenant.name]
        assert (found.read_only, found.login, found.database_limit) == (full, True, 3)
        assert (tenant.runs("create temp table t (i int)", "create schema s") == "done") == (not full)


def test_a_tenant_that_lifts_it_for_itself_is_found_out(filled: Tenant, provisioner: Provisioner) -> None:
    assert filled.runs(
        "set default_transaction_read_only = off",
        f"alter role {filled.name} reset default_transaction_read_only",
        f"alter role {filled.name} in database {filled.name} set default_transaction_read_only = off",
    ) == ("done")
    assert not provisioner.found()[filled.name].read_only
    assert filled.runs("create schema s") == DENIED
    provisioner.keep_full(filled.name)
    assert provisioner.found()[filled.name].read_only
    assert filled.runs("show default_transaction_read_only") == [["on"]]


def test_a_limit_that_is_lifted_to_come_in_is_not_taken_for_a_changed_one(
    provisioner: Provisioner, tenant: Tenant
) -> None:
    with ThreadPoolExecutor(1) as threads:
        changes = threads.submit(lambda: deque(map(provisioner.keep_full, [tenant.name] * 10)))
        seen = set[int]()
        while not changes.done():
            seen.add(provisioner.found()[tenant.name].database_limit)
    assert changes.exception() is None
    assert seen == {CONNECTIONS}
