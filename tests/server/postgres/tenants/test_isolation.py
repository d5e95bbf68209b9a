"""Attempts of a tenant, and what comes of them: the same on every kind of server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.postgres.preflight import preflight
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenants.extensions import foreign_extensions
from server.postgres.tenants.provisioning import Provisioner
from server.postgres.tenants.tenant_settings import EXTENSIONS
from tests.server.postgres.tenants.tenant import CONNECTIONS, Tenant, made
from tests.waiting import until

ATTEMPTS = json.loads(Path(__file__).with_name("attempts.json").read_text(encoding="utf-8"))
PLANTED = Path(__file__).with_name("planted.sql").read_text(encoding="utf-8")


class Pair:
    """A tenant that tries, and one that is there, with a table and an idle session."""

    def __init__(self, tenant: Tenant, other: Tenant) -> None:
        self.tenant, self.other = tenant, other

    def alone(self) -> None:
        """Wait until the server has ended the tenant's earlier sessions, which takes it a moment."""
        sql = "select pid from pg_catalog.pg_stat_activity where usename = %s"
        with self.tenant.server.connect() as connection:
            until(lambda: not connection.execute(sql, [self.tenant.name]).fetchall())

    def tries(self, *statements: str) -> Any:
        """Run statements in which both, and the administrator, are named; return what comes of them."""
        names = {"{me}": self.tenant.name, "{other}": self.other.name, "{admin}": self.tenant.server.user}
        given = json.dumps(statements)
        for word, name in names.items():
            given = given.replace(word, name)
        came = json.dumps(self.tenant.runs(*json.loads(given)))
        for word, name in names.items():
            came = came.replace(name, word)
        return json.loads(came)


@pytest.fixture(scope="module")
def pair(provisioner: Provisioner, server: DatabaseServer) -> Iterator[Pair]:
    with made(provisioner, server) as tenant, made(provisioner, server) as other, other.connect() as session:
        session.execute("create table secret (x text)")
        yield Pair(tenant, other)


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt["try"] for attempt in ATTEMPTS])
def test_a_tenant_keeps_to_its_own(pair: Pair, attempt: Any) -> None:
    if attempt.get("alone"):
        pair.alone()
    assert pair.tries(*attempt["sql"]) == attempt["gives"]


def test_a_tenant_logs_into_its_own_database_alone(pair: Pair, provisioner: Provisioner) -> None:
    with provisioner._changes.session() as connection:
        names = [name for (name,) in connection.execute("select datname from pg_database")]
    assert len(names) >= 6
    open_to_it = [name for name in names if not pair.tenant.refusal(database=name)]
    assert open_to_it == [pair.tenant.name]


def test_a_tenant_cannot_begin_its_sessions_as_somebody_else(tenant: Tenant, server: DatabaseServer) -> None:
    assert tenant.runs(f"alter role {tenant.name} set role = '{server.user}'") == "done"
    assert tenant.runs("select current_user::text, session_user::text") == [[tenant.name, tenant.name]]


def test_a_tenant_with_all_its_sessions_leaves_room_for_others(tenant: Tenant, other: Tenant) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(tenant.enter())
        assert "too many connections" in tenant.refusal()
        assert other.refusal() == ""
        with suppress(psycopg.Error):
            tenant.runs(f"alter role {tenant.name} connection limit -1")
        assert "too many connections" in tenant.refusal()


def test_extensions_outside_of_the_list_are_refused_or_reported(
    tenant: Tenant, provisioner: Provisioner, server: DatabaseServer
) -> None:
    tried = {name: tenant.runs(f"create extension {name}") for name in ("lo", "tcn")}
    if server.superuser:
        assert set(tried.values()) == {"42501"}
        assert tenant.runs("create extension hstore") == "done"
        assert tenant.runs("set event_triggers = off") == "42501"
        assert tenant.runs("drop event trigger twinpress_extensions") == "42501"
        assert tenant.runs("alter event trigger twinpress_extensions disable") == "42501"
        assert tenant.runs("drop function pg_catalog.twinpress_extensions()") == "42501"
    else:
        # Only a superuser can make event triggers.
        assert set(tried.values()) == {"done"}
    with server.connect() as connection:
        assert set(tried) <= set(foreign_extensions(connection, EXTENSIONS))


def test_an_operator_may_install_more_for_a_tenant(tenant: Tenant, server: DatabaseServer) -> None:
    if not server.superuser:
        pytest.skip("there is no guard where we are no superuser")
    with server.connect(tenant.name) as connection:
        connection.execute("create extension lo")
    assert tenant.runs("create extension hstore") == "done"


def test_temporary_files_are_limited_and_counted(tenant: Tenant, server: DatabaseServer) -> None:
    assert tenant.runs("show temp_file_limit") == [["256MB"]]
    if server.superuser:
        with server.connect() as connection:
            connection.execute(f"alter role {tenant.name} set temp_file_limit = '1MB'".encode())
        rows = "select g, repeat('x', 100) from generate_series(1, 100000) g"
        assert (
            tenant.runs("set work_mem = '64kB'", f"select count(*) from ({rows} order by 2, 1) s") == "53400"
        )
        assert tenant.runs("set temp_file_limit = -1") == "42501"


def test_temporary_tables_count_as_room(tenant: Tenant, provisioner: Provisioner) -> None:
    before = provisioner.sizes()[tenant.name]
    with tenant.connect() as session:
        session.execute(
            "create temp table big as select repeat(md5(g::text), 30) x from generate_series(1, 3000) g"
        )
        assert provisioner.sizes()[tenant.name] > before + 2_000_000


def test_a_tenant_s_messages_do_not_fill_the_log(tenant: Tenant, server: DatabaseServer) -> None:
    if preflight(server).unsettable:
        pytest.skip("the administrator may not set it: the log is for the server's operator to bound")
    assert tenant.runs("show log_min_messages") == [["panic"]]
    assert tenant.runs("alter role current_user reset all", "set log_min_messages = 'log'") == "42501"
    assert tenant.runs("show log_min_messages") == [["panic"]]


def test_a_tenant_cannot_tell_a_new_statement_timeout_to_others(tenant: Tenant, other: Tenant) -> None:
    assert tenant.runs(f"alter role {tenant.name} set statement_timeout = 0") == "done"
    assert tenant.runs("show statement_timeout") == [["0"]]
    assert other.runs("show statement_timeout") == [["1min"]]


def test_nothing_that_a_tenant_plants_is_run_by_the_administrator(
    tenant: Tenant, provisioner: Provisioner
) -> None:
    with tenant.connect() as session:
        for each in PLANTED.split(";\n"):
            session.execute(each.encode())
        session.execute(f"alter role {tenant.name} set search_path = public, pg_catalog".encode())
    provisioner.create(tenant.name, "SCRAM-SHA-256$4096:c2FsdA==$YQ==:YQ==", CONNECTIONS)
    with provisioner._tenants.inside(tenant.name) as inner:
        assert inner.execute("show search_path").fetchone() == ("",)
    for full in (True, False):
        provisioner.set_full(tenant.name, full)
    provisioner.sizes()
    provisioner.enforce_limits()
    provisioner.found()
    provisioner.set_password(tenant.name, scram_verifier(tenant.password))
    assert tenant.runs("select count(*) from public.caught") == [[0]]
    assert tenant.runs("select public.note()", "select who from public.caught") == [[tenant.name]]
