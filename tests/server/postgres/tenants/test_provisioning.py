"""Tenants made, changed and dropped: by a caller that may have crashed anywhere before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest

from server.postgres.errors import EngineError
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.statements import statement
from server.postgres.tenant_names import new_name, new_password
from server.postgres.tenants.inventory import TenantState
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.tenant import CONNECTIONS, Tenant

BEFORE = {
    "nothing": [],
    "a role": ["create role {} nologin"],
    "a role that may log in": ["create role {} login"],
    "an empty database": ["create role {} nologin", "create database {} template template0"],
    "a database alone": ["create database {}"],
}
"""Statements for what a crash may have left."""


@pytest.mark.parametrize("left", BEFORE)
def test_a_tenant_is_made_from_whatever_a_crash_has_left(
    provisioner: Provisioner, server: DatabaseServer, left: str
) -> None:
    tenant = Tenant(new_name(), new_password(), server)
    with server.connect() as connection:
        for each in BEFORE[left]:
            connection.execute(statement(each, tenant.name))
    for _ in range(2):
        provisioner.create(tenant.name, scram_verifier(tenant.password), 3)
    expected = TenantState(tenant.name, True, True, True, role_limit=3, database_limit=3, read_only=False)
    assert provisioner.found()[tenant.name] == expected
    assert tenant.runs("create table public.t (i int)", "create schema s", "select 1") == [[1]]
    provisioner.drop(tenant.name)
    assert tenant.name not in provisioner.found()


def test_making_a_tenant_again_keeps_what_it_has(provisioner: Provisioner, tenant: Tenant) -> None:
    with tenant.connect() as session:
        session.execute("create table kept (i int)")
        provisioner.create(tenant.name, scram_verifier(tenant.password), CONNECTIONS)
        assert session.execute("select count(*) from kept").fetchone() == (0,)


def test_a_tenant_of_a_suspended_account_is_locked_from_the_beginning(
    provisioner: Provisioner, server: DatabaseServer
) -> None:
    tenant = Tenant(new_name(), new_password(), server)
    for _ in range(2):
        provisioner.create(tenant.name, scram_verifier(tenant.password), 3, login=False)
        found = provisioner.found()[tenant.name]
        assert (found.login, found.role_limit, found.database_limit) == (False, 0, 0)
        assert "not permitted to log in" in tenant.refusal()
    provisioner.unlock({tenant.name: 3})
    assert tenant.runs("create table t (i int)") == "done"
    provisioner.drop(tenant.name)


def test_many_tenants_are_made_at_once(provisioner: Provisioner, server: DatabaseServer) -> None:
    tenants = [Tenant(new_name(), new_password(), server) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda one: provisioner.create(one.name, scram_verifier(one.password), 2), tenants))
        assert all(tenant.runs("select 1") == [[1]] for tenant in tenants)
        list(pool.map(lambda one: provisioner.drop(one.name), tenants))
    assert not {tenant.name for tenant in tenants} & set(provisioner.found())


def test_prepare_can_be_called_by_several_at_once(server: DatabaseServer) -> None:
    provisioners = [Provisioner(server, needs_lead=False) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Provisioner.prepare, provisioners))
    for provisioner in provisioners:
        provisioner.close()
    with server.connect() as connection:
        found = connection.execute(
            "select datistemplate, datallowconn from pg_database where datname like 'twinpress_template%'"
        ).fetchall()
    assert found == [(True, False)]


def test_a_new_password_is_the_only_one(provisioner: Provisioner, tenant: Tenant) -> None:
    with tenant.connect() as session:
        provisioner.set_password(tenant.name, scram_verifier("another"))
        assert session.execute("select 1").fetchone() == (1,)
    assert "password authentication failed" in tenant.refusal()
    assert tenant.refusal(password="another") == ""


def test_sessions_end_with_the_password_when_that_is_asked_for(
    provisioner: Provisioner, tenant: Tenant
) -> None:
    with tenant.connect() as session:
        provisioner.set_password(tenant.name, scram_verifier("another"), end_sessions=True)
        with pytest.raises(psycopg.errors.AdminShutdown):
            session.execute("select 1")


def test_limits_of_connections_change(provisioner: Provisioner, tenant: Tenant) -> None:
    provisioner.set_connections(tenant.name, 1)
    with tenant.enter():
        assert "too many connections" in tenant.refusal()
    provisioner.lock([tenant.name])
    provisioner.set_connections(tenant.name, 7)
    assert provisioner.found()[tenant.name].database_limit == 0


def test_a_tenant_with_sessions_and_rights_from_elsewhere_is_dropped(
    provisioner: Provisioner, tenant: Tenant, other: Tenant
) -> None:
    with tenant.connect() as session:
        session.execute("create table t (i int)")
        assert other.runs(
            "create table own (i int)",
            f"grant select on own to {tenant.name}",
            f"alter default privileges grant select on tables to {tenant.name}",
            "create schema s",
            f"grant usage on schema s to {tenant.name}",
            "alter table own enable row level security",
            f"create policy p on own to {tenant.name}",
            "select lo_create(7)",
            f"grant select on large object 7 to {tenant.name}",
        )
        for _ in range(2):
            provisioner.drop(tenant.name)
    assert tenant.name not in provisioner.found()
    assert other.runs("select count(*) from own") == [[0]]


@pytest.mark.parametrize("sql", ["drop schema public cascade", "alter schema public rename to mine"])
def test_a_tenant_may_do_without_its_schema_public(
    provisioner: Provisioner, tenant: Tenant, sql: str
) -> None:
    assert tenant.runs(sql) == "done"
    provisioner.create(tenant.name, scram_verifier(tenant.password), CONNECTIONS)
    provisioner.set_full(tenant.name, True)
    provisioner.set_full(tenant.name, False)
    assert tenant.runs("create schema if not exists mine") == "done"


def test_a_database_whose_removal_was_interrupted_is_made_anew_or_dropped(
    provisioner: Provisioner, server: DatabaseServer, tenant: Tenant
) -> None:
    if not server.superuser:
        pytest.skip("only a superuser can mark a database so")
    made_anew = partial(provisioner.create, tenant.name, scram_verifier("x"), 3)
    for act in (made_anew, partial(provisioner.drop, tenant.name)):
        with server.connect() as connection:
            connection.execute("update pg_database set datconnlimit = -2 where datname = %s", [tenant.name])
        assert provisioner.found()[tenant.name].database_limit == -2
        provisioner.lock([tenant.name])
        act()
    assert tenant.name not in provisioner.found()


def test_a_tenant_that_is_not_there_cannot_be_changed(provisioner: Provisioner) -> None:
    name, verifier = new_name(), scram_verifier("x")
    provisioner.lock([name])
    provisioner.unlock({name: 1})
    provisioner.drop(name)
    assert name not in provisioner.sizes()
    with pytest.raises(EngineError, match="does not exist") as raised:
        provisioner.set_password(name, verifier)
    assert verifier not in str(raised.value)


def test_the_names_of_others_are_left_alone(provisioner: Provisioner, server: DatabaseServer) -> None:
    strange = "db_of_somebody_else"
    with server.connect() as connection:
        connection.execute(statement("create database {}", strange))
        assert strange not in provisioner.found()
        assert strange not in provisioner.sizes()
        connection.execute(statement("drop database {}", strange))
