"""The clients that people use, with the string that they are given; and what a dump of theirs holds."""

from __future__ import annotations

import asyncio
import os
import subprocess

import asyncpg
import psycopg
import pytest

from server.postgres.run.binaries import find
from server.postgres.server import DatabaseServer
from tests.server.postgres.clusters import DEBIAN
from tests.server.postgres.tenants.tenant import Tenant

QUESTION = "select current_database()::text, current_user::text, 6 * 7"


def program(name: str, server: DatabaseServer, *arguments: str, read: str = "") -> str:
    """Run a program of PostgreSQL and return what it says; it must be as new as the server."""
    folder = None if server.major > 15 else DEBIAN
    done = subprocess.run(
        [find(folder).path(name), *arguments],
        input=read,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_psql_connects(tenant: Tenant, server: DatabaseServer) -> None:
    said = program("psql", server, "--no-psqlrc", "-At", tenant.uri(), "-c", QUESTION)
    assert said == f"{tenant.name}|{tenant.name}|42\n"


def test_who_has_locked_itself_out_by_a_setting_comes_in_without_it_and_takes_it_back(
    tenant: Tenant, server: DatabaseServer
) -> None:
    assert tenant.runs("ALTER ROLE CURRENT_USER SET local_preload_libraries = 'nosuchlib'") == "done"
    assert 'could not access file "$libdir/plugins/nosuchlib"' in tenant.refusal()
    back = "ALTER ROLE CURRENT_USER RESET local_preload_libraries"
    program("psql", server, f"{tenant.uri()}&options=-c%20local_preload_libraries%3D", "-c", back)
    assert tenant.refusal() == ""


def test_psycopg_connects(tenant: Tenant) -> None:
    with psycopg.connect(tenant.uri()) as connection:
        assert connection.execute(QUESTION).fetchone() == (tenant.name, tenant.name, 42)


def test_asyncpg_connects(tenant: Tenant) -> None:
    async def ask() -> tuple[object, ...]:
        connection = await asyncpg.connect(tenant.uri())
        try:
            return tuple(await connection.fetchrow(QUESTION))
        finally:
            await connection.close()

    assert asyncio.run(ask()) == (tenant.name, tenant.name, 42)


@pytest.mark.parametrize("command", ["\\l", "\\du", "\\dn+", "\\d pg_class", "\\dx", "\\df", "\\dy", "\\db"])
def test_psql_describes(tenant: Tenant, server: DatabaseServer, command: str) -> None:
    assert program("psql", server, "--no-psqlrc", tenant.uri(), "-c", command)


def test_a_dump_holds_nothing_of_ours_and_can_be_restored_by_another_tenant(
    tenant: Tenant, other: Tenant, server: DatabaseServer
) -> None:
    assert (
        tenant.runs("create table t as select 7 as i", "create schema s", "create table s.u (i int)")
        == "done"
    )
    dump = program("pg_dump", server, "--no-owner", "--no-acl", tenant.uri())
    assert "twinpress" not in dump
    assert "EVENT TRIGGER" not in dump
    program("psql", server, "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-q", other.uri(), read=dump)
    assert other.runs("select i from t") == [[7]]
