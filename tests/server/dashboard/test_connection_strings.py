"""The connection strings of a database: by each program's grammar they say what was meant, and connect."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from server.dashboard.database_pages import reached
from server.databases.database_structs import DatabaseRecord
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenant_names import new_name
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.clusters import DEBIAN, cluster

PASSWORDS = [
    "plain",
    "with space + plus",
    "a@b:c/d?e#f&g=h%41;i",
    "'\"\\`$HOME $(id) {x} <y> |!",
    "%2B%",
    "ünïcode €",
    "[::1]",
    "~-_.",
]


def database(host: str = "db.example.com", sslmode: str = "require", name: str = "db_abc") -> DatabaseRecord:
    """A database as its record tells of it."""
    return DatabaseRecord(
        id="db_abc",
        name="harbour",
        engine="postgresql",
        version="18.3",
        status="active",
        host=host,
        port=5432,
        database=name,
        user=name,
        sslmode=sslmode,
        connection_limit=10,
        size_bytes=None,
        storage_limit_bytes=1,
        storage="ok",
        created_at="2026-01-01T00:00:00+00:00",
        updated_at="2026-01-01T00:00:00+00:00",
        password_rotated_at=None,
        error=None,
    )


def literal(program: str, text: str) -> str:
    """The URI in a line of a program, as the program's own language reads it."""
    if program == "psql":
        command, uri = shlex.split(text)
        assert command == "psql"
        return uri
    if program == "psycopg":
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        return str(ast.literal_eval(call.args[0]))
    found = re.fullmatch(r'new pg\.Client\(\{ connectionString: (".*") \}\)', text)
    assert found
    return str(json.loads(found[1]))


def of_libpq(uri: str) -> Mapping[str, Any]:
    """The parts of a URI by libpq itself."""
    found = conninfo_to_dict(uri)
    return {**found, "port": int(str(found["port"]))}


def of_node(uri: str) -> Mapping[str, Any]:
    """The parts of a URI as pg-connection-string reads it: by WHATWG's URL, each part decoded."""
    found = urlsplit(uri)
    host, _, port = found.netloc.rpartition("@")[2].rpartition(":")
    query = dict(each.split("=", 1) for each in found.query.split("&"))
    return {
        "user": unquote(found.username or ""),
        "password": unquote(found.password or ""),
        "host": host.strip("[]"),
        "port": int(port),
        "dbname": unquote(found.path[1:]),
        **{name: unquote_plus(said) for name, said in query.items()},
    }


def of_jdbc(url: str) -> Mapping[str, Any]:
    """The parts of a URL as pgjdbc's documentation has them: host and port, database, then properties.

    Database and values are decoded as forms are (`java.net.URLDecoder`), so that a bare `+` is a space.
    """
    found = re.fullmatch(r"jdbc:postgresql://(\[[^\]]+\]|[^:/?]+):(\d+)/([^?]+)\?(.+)", url)
    assert found
    query = dict(each.split("=", 1) for each in found[4].split("&"))
    return {
        "host": found[1].strip("[]"),
        "port": int(found[2]),
        "dbname": unquote_plus(found[3]),
        **{name: unquote_plus(said) for name, said in query.items()},
    }


@pytest.mark.parametrize("host", ["db.example.com", "192.0.2.7", "2001:db8::7"])
@pytest.mark.parametrize("number", range(len(PASSWORDS)))
def test_each_program_reads_what_was_meant(host: str, number: int) -> None:
    password = PASSWORDS[number]
    meant = {
        "user": "db_abc",
        "password": password,
        "host": host,
        "port": 5432,
        "dbname": "db_abc",
        "sslmode": "require",
    }
    shown = reached(database(host), password)
    assert of_libpq(literal("psql", shown["psql"])) == meant
    assert of_libpq(literal("psycopg", shown["psycopg"])) == meant
    assert of_node(literal("Node", shown["Node"])) == {**meant, "sslmode": "no-verify"}
    assert of_jdbc(shown["JDBC"]) == meant


@pytest.mark.parametrize(
    ("told", "node"),
    [("disable", "disable"), ("prefer", "disable"), ("allow", "disable"), ("require", "no-verify")],
)
def test_node_is_told_how_to_secure_the_connection_in_its_own_words(told: str, node: str) -> None:
    shown = reached(database(sslmode=told), "x")
    assert of_node(literal("Node", shown["Node"]))["sslmode"] == node
    assert of_libpq(literal("psycopg", shown["psycopg"]))["sslmode"] == told
    assert of_jdbc(shown["JDBC"])["sslmode"] == told


def test_a_hidden_password_has_a_word_in_its_place() -> None:
    for program, text in reached(database(), None).items():
        assert "PASSWORD" in text, program


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    with cluster() as running:
        yield running


@pytest.fixture(scope="module")
def provisioner(server: DatabaseServer) -> Iterator[Provisioner]:
    made = Provisioner(server, needs_lead=False)
    made.prepare()
    yield made
    made.close()


@pytest.mark.parametrize("number", range(len(PASSWORDS)))
def test_psycopg_and_psql_connect_with_what_is_shown(
    server: DatabaseServer, provisioner: Provisioner, number: int
) -> None:
    name, password = new_name(), PASSWORDS[number]
    provisioner.create(name, scram_verifier(password), 5)
    record = database(str(server.public_host), server.public_sslmode, name)
    shown = reached(_at(record, int(str(server.public_port))), password)
    with eval(shown["psycopg"], {"psycopg": psycopg}) as session:
        assert session.execute("SELECT current_database(), current_user").fetchone() == (name, name)
    if (DEBIAN / "psql").exists():
        line = f"PATH={shlex.quote(str(DEBIAN))}:$PATH {shown['psql']} -X -A -t -c 'SELECT current_user'"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == name
    provisioner.drop(name)


def _at(record: DatabaseRecord, port: int) -> DatabaseRecord:
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return DatabaseRecord(**{**fields, "port": port})
