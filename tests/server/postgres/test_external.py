"""Servers of other people: named by a connection string, and examined before they are used."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from server.postgres.dump_restore import Login
from server.postgres.errors import EngineError, EngineRefused, EngineUnavailable
from server.postgres.external import as_found, external
from server.postgres.preflight import ServerFacts, preflight
from server.postgres.remedies import report, script
from server.postgres.run.binaries import find
from server.postgres.server import DatabaseServer
from tests.ports import free_port
from tests.server.postgres.clusters import (
    DEBIAN,
    PASSWORD,
    apply,
    both,
    cluster,
    dsn,
    foreign,
    limited,
    make_limited,
    needs_debian,
    open_folder,
)

URI = "postgresql://admin:p%40ss@db.example.com:5433/postgres"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (URI, {"host": "db.example.com", "port": 5433, "user": "admin", "password": "p@ss"}),
        ("host=db.example.com user=admin password='p @ss'", {"port": 5432, "password": "p @ss"}),
        (f"{URI}?sslmode=verify-full", {"sslmode": "verify-full", "public_sslmode": "require"}),
        (f"{URI}?sslrootcert=/ca.pem", {"parameters": (("sslrootcert", "/ca.pem"),)}),
        (f"{URI}?sslmode=require", {"sslmode": "require", "public_sslmode": "require"}),
        (URI, {"sslmode": "prefer", "public_sslmode": "prefer", "public_port": 5433}),
        ("postgresql://admin@[2001:db8::1]/", {"host": "2001:db8::1", "password": "", "port": 5432}),
    ],
)
def test_a_connection_string_of_either_form_names_a_server(text: str, expected: dict[str, object]) -> None:
    found = asdict(external(text))
    assert {name: found[name] for name in expected} == expected


def test_tenants_may_be_told_another_place() -> None:
    server = external(URI, public_host="public.example.com", public_port=6432)
    assert (server.host, server.port) == ("db.example.com", 5433)
    assert (server.public_host, server.public_port) == ("public.example.com", 6432)
    socket = external("host=/run/postgresql user=admin", public_host="db.example.com")
    assert (socket.host, socket.public_host) == ("/run/postgresql", "db.example.com")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("postgresql://admin:secret-word@/postgres", "names no host"),
        ("postgresql://db.example.com/postgres", "names no user"),
        ("postgresql://a:secret-word@h1,h2/", "one server and one port"),
        ("postgresql://a:secret-word@h/shop", "works from the database `postgres`"),
        ("host=/run/postgresql user=a password=secret-word", "cannot reach a Unix socket"),
        ("secret-word", "cannot be read"),
        ("postgresql://a:secret-word@h:notaport/", "one server and one port"),
        ("host=h user=a secret-word=1", "cannot be read"),
        ("", "names no host"),
    ],
)
def test_a_string_that_names_no_server_is_refused_without_being_repeated(text: str, words: str) -> None:
    with pytest.raises(EngineError, match=words) as caught:
        external(text)
    assert "secret-word" not in str(caught.value)
    assert caught.value.hint


def test_a_server_that_is_not_there_or_refuses_is_told_apart() -> None:
    port = free_port()
    nobody = external(f"postgresql://a:secret-word@127.0.0.1:{port}/")
    with pytest.raises(EngineUnavailable, match=f"127.0.0.1:{port}: the PostgreSQL server cannot be reached"):
        preflight(nobody)
    with cluster() as server, pytest.raises(EngineRefused, match="does not let `twinpress` in") as caught:
        preflight(external(dsn(server, "twinpress", "secret-word")))
    assert "secret-word" not in str(caught.value)


@both
def test_an_administrator_that_may_not_connect_is_told_what_to_run(bin_dir: Path | None) -> None:
    with foreign(bin_dir) as operated:
        make_limited(operated)
        with operated.connect() as connection:
            connection.execute("REVOKE CONNECT ON DATABASE postgres FROM PUBLIC")
        with pytest.raises(EngineRefused, match='permission denied for database "postgres"') as caught:
            preflight(external(dsn(operated, "limited")))
        assert caught.value.hint == 'as a superuser, run GRANT CONNECT ON DATABASE postgres TO "limited"'
        with operated.connect() as connection:
            connection.execute(caught.value.hint.partition("run ")[2].encode())
        assert preflight(external(dsn(operated, "limited"))).admin == "limited"


@both
def test_the_sql_of_the_preflight_makes_a_server_fit(tmp_path: Path, bin_dir: Path | None) -> None:
    """As an operator does it: with psql, and the text as it was printed."""
    with foreign(bin_dir) as operated:
        make_limited(operated)
        server = external(dsn(operated, "limited"))
        facts = preflight(server)
        assert not facts.superuser
        assert facts.open_databases == ("postgres", "template1")
        before = report(facts)
        assert len(before.problems) == 4, before
        text = script((*before.problems, *before.advice))
        psql = find(bin_dir).path("psql") if bin_dir is None else str(DEBIAN / "psql")
        login = Login(server=operated, database="postgres", role="twinpress", password=PASSWORD)
        command = [psql, "-X", "-v", "ON_ERROR_STOP=1"]
        subprocess.run(command, input=text, text=True, check=True, env=login.environment())
        facts = preflight(server)
        after = report(facts)
        assert after.problems == ()
        (left,) = after.advice
        assert (left.sql, "REVOKE EXECUTE ON FUNCTION" in left.message) == ((), True)
        assert facts.reads_verifiers
        with server.connect() as connection:
            connection.execute("CREATE DATABASE db_x")
            connection.execute("CREATE ROLE db_x LOGIN")


@needs_debian
def test_a_limited_administrator_is_told_apart_from_a_superuser() -> None:
    with limited() as server:
        assert (server.superuser, server.user) == (False, "limited")
        assert server.version // 10000 == int(DEBIAN.parent.name)
        assert not report(preflight(server)).problems


def test_a_superuser_needs_nothing_but_that_tenants_are_kept_apart() -> None:
    with foreign(None) as operated:
        found = report(preflight(operated))
        (problem,) = found.problems
        assert problem.sql == (
            'REVOKE CONNECT ON DATABASE "postgres" FROM PUBLIC;',
            'REVOKE CONNECT ON DATABASE "template1" FROM PUBLIC;',
        )
        apply(operated, found.problems)
        assert report(preflight(operated)).problems == ()


def test_other_databases_and_settings_that_tenants_could_use_are_advice() -> None:
    with foreign(None) as operated:
        with operated.connect() as connection:
            connection.execute('CREATE DATABASE "a ""shop"""')
            for setting in ("temp_file_limit = -1", "log_statement = 'all'", "password_encryption = 'md5'"):
                connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")
        found = [each for remedy in report(preflight(operated)).advice for each in remedy.sql]
        assert 'REVOKE CONNECT ON DATABASE "a ""shop""" FROM PUBLIC;' in found
        assert "ALTER SYSTEM SET password_encryption = 'scram-sha-256';" in found
        assert "ALTER SYSTEM SET log_statement = 'none';" in found
        assert "ALTER SYSTEM SET temp_file_limit = '256MB';" in found
        apply(operated, report(preflight(operated)).advice)
        assert report(preflight(operated)).advice == ()


def test_roles_of_tenants_that_somebody_else_made_are_granted_from_version_16_on() -> None:
    with limited(None) as server, foreign(None):
        operated = replace(server, user="twinpress", password=PASSWORD)
        with operated.connect() as connection:
            connection.execute("CREATE ROLE db_old LOGIN")
            connection.execute("CREATE DATABASE db_old OWNER limited")
            connection.execute("REVOKE CONNECT ON DATABASE db_old FROM PUBLIC")
        facts = preflight(server)
        assert facts.foreign_tenants == ("db_old",)
        (problem,) = report(facts).problems
        assert problem.sql == ('GRANT "db_old" TO "limited" WITH ADMIN TRUE, INHERIT TRUE, SET TRUE;',)
        apply(operated, (problem,))
        assert report(preflight(server)).problems == ()
        with server.connect() as connection:
            connection.execute("ALTER ROLE db_old NOLOGIN")


FIT = ServerFacts(
    version=150000,
    admin="admin",
    superuser=False,
    creates_databases=True,
    creates_roles=True,
    ends_sessions=True,
    sees_sessions=True,
    reads_verifiers=True,
    open_databases=(),
    foreign_tenants=(),
    password_encryption="scram-sha-256",
    self_grant="",
    tls=True,
    local=False,
    log_statement="none",
    temp_file_limit="256MB",
    max_connections=100,
)


@pytest.mark.parametrize(
    ("facts", "problems", "advice"),
    [
        ({}, [], []),
        ({"creates_roles": False}, ['ALTER ROLE "admin" CREATEDB CREATEROLE;'], []),
        (
            {"ends_sessions": False},
            ['ALTER ROLE "admin" INHERIT;', 'GRANT pg_signal_backend TO "admin";'],
            [],
        ),
        (
            {"version": 160000, "ends_sessions": False, "self_grant": "set, inherit"},
            ['GRANT pg_signal_backend TO "admin" WITH INHERIT TRUE;'],
            [],
        ),
        ({"version": 170000}, [], ["ALTER ROLE \"admin\" SET createrole_self_grant = 'set, inherit';"]),
        ({"version": 160000, "self_grant": "inherit, set"}, [], []),
        ({"foreign_tenants": ("db_t",)}, [], []),
        ({"tls": False}, [], ["ALTER SYSTEM SET ssl = 'on';", "SELECT pg_reload_conf();"]),
        ({"tls": False, "local": True}, [], []),
        (
            {"prepared_transactions": 10},
            ["ALTER SYSTEM SET max_prepared_transactions = '0';", "SELECT pg_reload_conf();"],
            [],
        ),
        (
            {"unsettable": ("temp_file_limit", "log_min_messages")},
            [],
            ['GRANT SET ON PARAMETER temp_file_limit, log_min_messages TO "admin";'],
        ),
        ({"trusting": ("trust",)}, [], ["SELECT pg_reload_conf();"]),
        (
            {"admin": 'a "b"\n; DROP', "reads_verifiers": False},
            [],
            ['GRANT SELECT (rolname, rolpassword) ON pg_catalog.pg_authid TO "a ""b""\n; DROP";'],
        ),
    ],
)
def test_what_the_operator_has_to_do_follows_from_what_the_server_says(
    facts: dict[str, object], problems: list[str], advice: list[str]
) -> None:
    found = report(replace(FIT, **facts))
    assert [each for remedy in found.problems for each in remedy.sql] == problems
    assert [each for remedy in found.advice for each in remedy.sql] == advice


def test_an_extension_that_only_the_operator_can_remove_is_named() -> None:
    found = report(replace(FIT, foreign_extensions=("plperl", "pltcl")))
    assert (found.problems, [each.sql for each in found.advice]) == ((), [()])
    assert script(found.advice).startswith("-- tenants can install plperl, pltcl: only removing")


def test_a_trusted_language_that_the_server_has_is_found() -> None:
    with foreign(None) as operated, open_folder() as folder:
        make_limited(operated)
        extensions = folder / "extension"
        extensions.mkdir()
        for name, text in {".control": "default_version = '1'\ntrusted = true\n", "--1.sql": ""}.items():
            (extensions / f"plharbour{name}").write_text(text)
        with operated.connect() as connection:
            connection.execute(f"ALTER SYSTEM SET extension_control_path = '$system:{folder}'".encode())
            connection.execute("SELECT pg_reload_conf()")
        facts = preflight(external(dsn(operated, "limited")))
        assert facts.foreign_extensions == ("plharbour",)
        assert preflight(operated).foreign_extensions == ()


def test_a_name_cannot_end_the_comment_that_it_stands_in() -> None:
    facts = replace(FIT, admin="a\nDROP DATABASE shop;--", creates_roles=False)
    lines = script(report(facts).problems).splitlines()
    assert lines[0].startswith('-- "a DROP DATABASE shop;--"')
    assert lines[1:] == ['ALTER ROLE "a', 'DROP DATABASE shop;--" CREATEDB CREATEROLE;'], "one quoted name"


def test_tls_of_the_server_is_what_tenants_are_told() -> None:
    server: DatabaseServer = external(URI)
    assert as_found(server, FIT).public_sslmode == "require"
    assert as_found(server, replace(FIT, tls=False)).public_sslmode == "prefer"
    assert as_found(external(f"{URI}?sslmode=disable"), FIT).public_sslmode == "disable"
    assert as_found(server, FIT).version == 150000
    assert as_found(server, FIT).superuser is False
