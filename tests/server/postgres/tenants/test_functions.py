"""Functions that do harm to all are no tenant's, and nothing ordinary misses them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
import pytest

from server.postgres.dump_restore import Login, dump, restore
from server.postgres.errors import EngineError
from server.postgres.preflight import preflight
from server.postgres.remedies import report
from server.postgres.run.binaries import find
from server.postgres.server import DatabaseServer
from server.postgres.tenants import functions
from server.postgres.tenants.functions import RARE
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.tenant import Tenant, made

ENDLESS = [
    r"select position('\x61'::bytea in '\x6161'::bytea)",
    "select position(B'1' in B'01')",
    "select normalize('a')",
    "select 'a' is nfc normalized",
    "select '[(0,0),(1,1)]'::path ?# '[(0,1),(1,0)]'::path",
    "select '[(0,0),(1,1)]'::path <-> '[(0,1),(1,0)]'::path",
    "select '((0,0),(1,1))'::polygon <-> '((0,1),(1,0))'::polygon",
]
FILLING = [
    # A file of the server for each call, until the transaction ends.
    "select pg_export_snapshot()",
    # As much of the server's journal as one likes.
    "select pg_logical_emit_message(false, 'a', 'b')",
    r"select pg_logical_emit_message(false, 'a', '\x61'::bytea)",
]
ORDINARY = [
    "select position('b' in 'abc'), strpos('abc', 'b'), replace('abc', 'b', 'x'), 'abc' like '%b%'",
    r"select '\x616263'::bytea like '\x25'::bytea, overlay('\x6162'::bytea placing '\x63'::bytea from 1)",
    "select substring(B'0110' from 2 for 2), overlay(B'0110' placing B'11' from 1), length(B'01')",
    'create table t (b bytea primary key, v varbit unique, p polygon, n text collate "C", a int[])',
    "create index on t using gist (p)",
    "create index on t using gin (a)",
    "insert into t values ('\\x61', B'01', '((0,0),(1,1),(1,0))', 'ä', '{1,2}')",
    "select count(*) from t where p && '((0,0),(2,2),(2,0))' and a @> '{1}' and b >= '\\x61'",
    "select * from information_schema.columns, pg_catalog.pg_proc limit 1",
    "vacuum analyze t",
]
DEFINED = r"""
\d t
\df
\dT+
\l
\dp t
"""


@pytest.fixture
def owned(server: DatabaseServer) -> DatabaseServer:
    if not server.superuser:
        pytest.skip("only a superuser can take rights of functions")
    return server


def test_no_tenant_calls_them_and_all_else_is_as_it_was(owned: DatabaseServer, tenant: Tenant) -> None:
    assert [tenant.runs(each) for each in ENDLESS] == ["42501"] * len(RARE)
    assert [tenant.runs(each) for each in FILLING] == ["42501"] * len(FILLING)
    with tenant.connect() as session:
        for each in ORDINARY:
            session.execute(each.encode())


def test_they_are_known_to_each_server_and_a_limited_administrator_is_told(
    server: DatabaseServer, provisioner: Provisioner, tenant: Tenant
) -> None:
    with server.connect() as connection:
        for each in RARE:
            assert connection.execute("select %s::regprocedure", [each]).fetchone()
    if not server.superuser:
        provisioner.withhold()
        assert tenant.runs("select position('\\x61'::bytea in '\\x6161'::bytea)") == [[1]]
        said = [each.message for each in report(preflight(server)).advice]
        assert sum(RARE[0] in each and "pg_catalog.pg_export_snapshot()" in each for each in said) == 1


def test_they_are_taken_from_a_tenant_of_an_earlier_twinpress_once(
    owned: DatabaseServer, provisioner: Provisioner, tenant: Tenant, other: Tenant
) -> None:
    _give_back(owned, tenant)
    assert tenant.runs(ENDLESS[0]) == [[1]]
    assert tenant.runs(FILLING[0]) != "42501"
    provisioner.lock([tenant.name])
    provisioner.withhold()
    provisioner.unlock({tenant.name: 5})
    assert [tenant.runs(each) for each in ENDLESS] == ["42501"] * len(RARE)
    assert [tenant.runs(each) for each in FILLING] == ["42501"] * len(FILLING)
    with owned.connect() as connection:
        assert functions.unmarked(connection) == []
    with owned.connect(tenant.name) as connection:
        functions.withhold(connection)
        count = "select count(*) from pg_init_privs where objoid = any (%s::regprocedure[])"
        taken = functions.withheld(connection)
        assert connection.execute(count, [list(taken)]).fetchone() == (len(taken),)


def test_one_that_resists_keeps_no_other_one_waiting(
    owned: DatabaseServer, provisioner: Provisioner, tenant: Tenant, other: Tenant
) -> None:
    for each in (tenant, other):
        _give_back(owned, each)
    with owned.connect() as admin:
        for allowed in (False, True):
            change = psycopg.sql.SQL("alter database {} allow_connections {}")
            admin.execute(change.format(_name(tenant), psycopg.sql.SQL(str(allowed))))
            if not allowed:
                with pytest.raises(EngineError):
                    provisioner.withhold()
                assert other.runs(ENDLESS[0]) == "42501"
    provisioner.withhold()
    assert tenant.runs(ENDLESS[0]) == "42501"


def test_dumps_say_nothing_of_it_and_are_restored_by_tenants(
    tmp_path: Path, owned: DatabaseServer, provisioner: Provisioner, tenant: Tenant
) -> None:
    programs = find(None)
    with tenant.connect() as session:
        for each in ORDINARY:
            session.execute(each.encode())
    login = Login(server=owned, database=tenant.name, role=tenant.name, password=tenant.password)
    # What pg_dump and psql do without any help of ours.
    command = [programs.path("pg_dump"), "--no-owner", "-f", str(tmp_path / "plain")]
    subprocess.run(command, env=login.environment(), check=True)
    assert "position" not in (tmp_path / "plain").read_text()
    with made(provisioner, owned) as empty:
        into = Login(server=owned, database=empty.name, role=empty.name, password=empty.password)
        subprocess.run(
            [programs.path("psql"), "-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(tmp_path / "plain")],
            env=into.environment(),
            check=True,
        )
        assert empty.runs("select count(*) from t") == [[1]]
        dump(programs, into, tmp_path / "custom")
    with made(provisioner, owned) as again:
        into = Login(server=owned, database=again.name, role=again.name, password=again.password)
        restore(programs, into, tmp_path / "custom")
        assert again.runs("select count(*) from t") == [[1]]
        shown = [programs.path("psql"), "-X", "-v", "ON_ERROR_STOP=1"]
        subprocess.run(shown, input=DEFINED, text=True, env=into.environment(), check=True)


def _give_back(server: DatabaseServer, tenant: Tenant) -> None:
    """Let the database be as one that an earlier Twinpress has made."""
    with server.connect(tenant.name) as connection, connection.transaction():
        connection.execute("set local allow_system_table_mods = on")
        taken = functions.withheld(connection)
        connection.execute(f"grant execute on function {', '.join(taken)} to public".encode())
        connection.execute("delete from pg_init_privs where objoid = any (%s::regprocedure[])", [list(taken)])
        connection.execute(psycopg.sql.SQL("comment on database {} is null").format(_name(tenant)))


def _name(tenant: Tenant) -> psycopg.sql.Identifier:
    return psycopg.sql.Identifier(tenant.name)
