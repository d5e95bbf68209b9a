"""A tenant's database with something in it, to be dumped, and others to restore it into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from server.postgres.dump_restore import Login
from server.postgres.run.embedded import Engine
from server.postgres.server import DatabaseServer
from tests.server.postgres.clusters import engine

SECRET = "a tenant's: 100%41 & $HOME"

FILL = """
CREATE EXTENSION hstore;
CREATE TABLE people (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, more hstore);
COMMENT ON TABLE people IS 'who is there';
INSERT INTO people (name, more)
    SELECT 'Ä ' || n || E'\\n\\\\.', hstore('n', n::text) FROM generate_series(1, 500) n;
CREATE VIEW few AS SELECT * FROM people WHERE id < 10;
CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1';
CREATE SCHEMA app;
CREATE TABLE app.other (id bigint REFERENCES public.people);
INSERT INTO app.other VALUES (3);
SELECT lo_from_bytea(0, 'large');
"""
SUM = "SELECT count(*), md5(string_agg(p::text, ',' ORDER BY id)), twice(21) FROM people p"


def tenant(server: DatabaseServer, name: str) -> Login:
    """A database as tenants have it: their role owns the schema public, and not the database."""
    with server.connect() as connection:
        connection.execute(psycopg.sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(*_named(name, SECRET)))
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        connection.execute(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC".encode())
        connection.execute(f"GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {name} TO {name}".encode())
    with server.connect(name) as connection:
        connection.execute(f"ALTER SCHEMA public OWNER TO {name}".encode())
    return Login(server=server, database=name, role=name, password=SECRET)


def _named(name: str, value: str) -> tuple[psycopg.sql.Identifier, psycopg.sql.Literal]:
    return psycopg.sql.Identifier(name), psycopg.sql.Literal(value)


def enter(login: Login) -> psycopg.Connection:
    where = {"host": login.server.host, "port": login.server.port, "dbname": login.database}
    return psycopg.connect(**where, user=login.role, password=login.password, autocommit=True)


def held(login: Login) -> object:
    with enter(login) as connection:
        return connection.execute(SUM.encode()).fetchone()


@contextmanager
def filled(bin_dir: Path | None = None) -> Iterator[tuple[Engine, Login]]:
    with engine(bin_dir=bin_dir) as made:
        login = tenant(made.server, "db_full")
        with enter(login) as connection:
            connection.execute(FILL)
        yield made, login


def known(version: int, sslmode: str = "disable") -> DatabaseServer:
    """A server that is not there, of a version."""
    place = {"host": "h", "port": 1, "public_host": "h", "public_port": 1}
    return DatabaseServer(**place, user="u", password="p", version=version, sslmode=sslmode)
