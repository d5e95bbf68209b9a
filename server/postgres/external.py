"""A PostgreSQL server that somebody else runs, named by a connection string."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from msgspec.structs import replace
from psycopg.conninfo import conninfo_to_dict

from server.postgres.errors import EngineError
from server.postgres.preflight import ServerFacts
from server.postgres.server import DatabaseServer, is_socket

PORT = 5432
DATABASE = "postgres"
OURS = frozenset({"host", "port", "user", "password", "dbname", "sslmode", "application_name"})
PREFERRED = "prefer"
"""What libpq does when nobody says anything about TLS."""
EXAMPLE = "postgresql://admin:password@db.example.com:5432/postgres"


def external(dsn: str, *, public_host: str = "", public_port: int = 0) -> DatabaseServer:
    """The server that a connection string names: a URI, or `key=value` pairs.

    `public_host` and `public_port` are what tenants are told, where that is another place. Nothing is
    connected yet: `preflight` does it, and `as_found` takes over what it found. Raises EngineError, whose
    text holds nothing of the string.
    """
    given = _parsed(dsn)
    host = given.get("host", "")
    _check(given, host, public_host)
    sslmode = given.get("sslmode", PREFERRED)
    port = int(given.get("port", PORT))
    return DatabaseServer(
        host=host,
        port=port,
        user=given["user"],
        password=given.get("password", ""),
        sslmode=sslmode,
        public_host=public_host or host,
        public_port=public_port or port,
        # A tenant has no certificate of whoever signed the server's: it can ask for TLS, not verify it.
        public_sslmode="require" if sslmode.startswith("verify") else sslmode,
        parameters=tuple(sorted((name, value) for name, value in given.items() if name not in OURS)),
    )


def as_found(server: DatabaseServer, facts: ServerFacts) -> DatabaseServer:
    """The server with its version, its administrator's rights, and TLS for tenants where it has it."""
    offered = facts.tls and server.public_sslmode == PREFERRED
    sslmode = "require" if offered else server.public_sslmode
    return replace(server, superuser=facts.superuser, version=facts.version, public_sslmode=sslmode)


def _parsed(dsn: str) -> Mapping[str, str]:
    try:
        return {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value not in {None, ""}}
    except psycopg.ProgrammingError:
        # libpq's own words repeat the string, and with it the password.
        raise _wrong("the connection string cannot be read") from None


def _check(given: Mapping[str, str], host: str, public_host: str) -> None:
    """Raise EngineError when the string leaves out what is needed, or says more than can be done."""
    for name in ("host", "user"):
        if not given.get(name):
            raise _wrong(f"the connection string names no {name}")
    if "," in host or not given.get("port", "1").isdigit():
        raise _wrong("the connection string must name one server and one port")
    if given.get("dbname", DATABASE) != DATABASE:
        raise _wrong(f"the administrator works from the database `{DATABASE}`, and the string names another")
    if is_socket(host) and not public_host:
        message = "tenants cannot reach a Unix socket"
        raise EngineError(message, hint="give the name or the address under which they reach the server")


def _wrong(message: str) -> EngineError:
    return EngineError(message, hint=f"write it like {EXAMPLE}")
