"""Statements for the administrator's sessions: how they are put together, and what their failures mean.

The administrator also enters tenants' databases, where functions, operators and views of the tenant stand.
All sessions therefore look for names in `pg_catalog` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg import Connection, sql

from server.postgres.errors import EngineError, EngineFull, EngineUnavailable
from server.postgres.server import DatabaseServer

Row = tuple[Any, ...]

_SETTINGS = {
    "search_path": "",
    "lock_timeout": "300ms",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "default_transaction_read_only": "off",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""A tenant may keep a row of a catalog locked: nobody waits for it for long. The session of a machine that is
gone from the network, and which may hold the lead, is over soon."""

_SILENT = {
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
    "pg_stat_statements.track_utility": "off",
}
"""No statement with a verifier gets into a log. Only a superuser may say so: where we are less, the server's
log may hold verifiers, with which nobody can log in."""

_AGAIN = re.compile("08|57P0|53200|53300|55P03|55006|40001|40P01|57014")
_CONCURRENT = "tuple concurrently updated"
_VERIFIER = re.compile(r"SCRAM-SHA-256\$[^'\s]*|md5[0-9a-f]{32}")


def open_session(server: DatabaseServer, database: str, application: str) -> Connection[Row]:
    """Open a session of the administrator that no object of a tenant can deceive.

    Raises as `DatabaseServer.connect`.
    """
    connection = server.connect(database, application=application)
    settings = _SETTINGS | (_SILENT if server.superuser else {})
    calls = [sql.SQL("pg_catalog.set_config({}, {}, false)").format(*pair) for pair in settings.items()]
    try:
        connection.execute(sql.SQL("select ") + sql.SQL(", ").join(calls))
    except psycopg.Error as error:
        connection.close()
        raise explained(error, server) from None
    return connection


def statement(text: str, /, *names: str, **values: str | int) -> sql.Composed:
    """A statement: each `{}` is a name, each `{word}` a value."""
    literals = {word: sql.Literal(value) for word, value in values.items()}
    return sql.SQL(text).format(*map(sql.Identifier, names), **literals)


def script(connection: Connection[Any], statements: Iterable[sql.Composable]) -> None:
    """Run several statements in one transaction and one round trip; none is fine too."""
    joined = sql.SQL(";").join(statements)
    if joined != sql.Composed([]):
        connection.execute(joined)


def names_of(connection: Connection[Any], query: str, names: Sequence[str]) -> list[str]:
    """The names that a query finds among these; its one parameter is their list."""
    return [name for (name,) in connection.execute(query, [list(names)])]


def stands_in_the_way(error: psycopg.Error) -> bool:
    """Return whether somebody else holds or has just changed what the statement is about."""
    return error.sqlstate == "55P03" or _CONCURRENT in str(error)


def explained(error: psycopg.Error, server: DatabaseServer) -> EngineError:
    """Translate a failure for callers. Its text is the server's own line, never that of the statement."""
    place = server.place
    said = error.diag.message_primary or "the connection was lost"
    words = _VERIFIER.sub("***", said)
    if error.sqlstate is None or _AGAIN.match(error.sqlstate) or _CONCURRENT in words:
        return EngineUnavailable(
            f"the PostgreSQL server could not do it now: {words}", path=place, hint="try again"
        )
    if isinstance(error, psycopg.errors.DiskFull):
        message = f"the PostgreSQL server has no room: {words}"
        return EngineFull(message, path=place, hint="make room on its disk")
    message = f"the PostgreSQL server refused: {words} ({error.sqlstate})"
    return EngineError(message, path=place, hint=_VERIFIER.sub("***", _hint(error)))


def _hint(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return "the administrator lacks a right: run the SQL that the preflight prints"
    return error.diag.message_hint or "see the server's log"
