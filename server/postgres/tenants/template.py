"""The database that all tenants' databases are copies of.

In it, nobody but the owner has rights on schema `public`, extensions outside of the list are refused, and
some functions that cannot be interrupted are nobody's.
Its name tells what it holds, so that a newer Twinpress makes a new one. Nobody can connect to it: PostgreSQL
copies no database that somebody is connected to.

Its comment says which installation of Twinpress the server belongs to: names and locks know no second one.
Two on one server would each report the other's databases as nobody's, remove the other's template, and only
one of them would ever be obeyed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from psycopg import Connection

from server.postgres.errors import EngineRefused
from server.postgres.server import DatabaseServer
from server.postgres.sessions import Sessions
from server.postgres.statements import statement
from server.postgres.tenants.extensions import guard_extensions
from server.postgres.tenants.functions import HELD, withhold

_TEMPLATES = "twinpress_template_"
"""What names of templates begin with."""
_MARK = "twinpress: "
_COMMENTS = """
select datname::text, pg_catalog.shobj_description(oid, 'pg_database')
from pg_catalog.pg_database where starts_with(datname::text, %s)"""
_FORM = 1
"""Counted up when what the template holds changes."""
_LOCK = 7_310_579_001
_READY = "select datistemplate from pg_catalog.pg_database where datname = %s"
_OLD = (
    "select datname::text from pg_catalog.pg_database where starts_with(datname::text, %s) and datname <> %s"
)


def template_name(server: DatabaseServer, extensions: Sequence[str]) -> str:
    """The name of the template for this server and list of extensions."""
    held = repr((_FORM, server.superuser, tuple(extensions), HELD))
    return _TEMPLATES + hashlib.sha256(held.encode()).hexdigest()[:12]


def make_template(
    sessions: Sessions, server: DatabaseServer, extensions: Sequence[str], owner: str = ""
) -> str:
    """Make the template unless it is there, remove those of older kinds, and give its name.

    Raises EngineRefused when the server belongs to another installation than `owner`, which is claimed for it
    otherwise; "" is for one that nobody else can reach.
    """
    name = template_name(server, extensions)
    with sessions.session() as connection:
        connection.execute("set lock_timeout = '60s'")
        connection.execute("select pg_catalog.pg_advisory_lock(%s)", [_LOCK])
        try:
            if owner:
                check_owner(connection, server, owner)
            if _state(connection, name) is not True:
                _build(sessions, connection, server, name, extensions)
            if owner:
                _claim(connection, name, owner)
            _remove_others(connection, name)
        finally:
            connection.execute("select pg_catalog.pg_advisory_unlock(%s)", [_LOCK])
            connection.execute("set lock_timeout = '300ms'")
    return name


def _build(
    sessions: Sessions,
    connection: Connection[Any],
    server: DatabaseServer,
    name: str,
    extensions: Sequence[str],
) -> None:
    # What a crash has left is without the mark of a template.
    connection.execute(statement("drop database if exists {} with (force)", name))
    connection.execute(statement("create database {} template template0 encoding 'UTF8'", name))
    connection.execute(statement("revoke all on database {} from public", name))
    with closing(sessions.open(name)) as inner:
        inner.execute("revoke all on schema public from public")
        if server.superuser:
            guard_extensions(inner, extensions)
            withhold(inner)
    connection.execute(statement("alter database {} with is_template true allow_connections false", name))


def _remove_others(connection: Connection[Any], name: str) -> None:
    for (old,) in connection.execute(_OLD, [_TEMPLATES, name]).fetchall():
        connection.execute(statement("alter database {} with is_template false", old))
        connection.execute(statement("drop database {}", old))


def _state(connection: Connection[Any], name: str) -> bool | None:
    row = connection.execute(_READY, [name]).fetchone()
    return bool(row[0]) if row else None


def check_owner(connection: Connection[Any], server: DatabaseServer, owner: str) -> None:
    """Raise EngineRefused when the server belongs to another installation than `owner`."""
    for name, comment in connection.execute(_COMMENTS, [_TEMPLATES]).fetchall():
        if comment is not None and comment.startswith(_MARK) and comment != _MARK + owner:
            raise EngineRefused(
                "the PostgreSQL server belongs to another data folder of Twinpress",
                path=server.place,
                hint="use a server of its own for each; if that folder is gone for good, "
                f"run COMMENT ON DATABASE {name} IS NULL there as `{server.user}`",
            )


def _claim(connection: Connection[Any], name: str, owner: str) -> None:
    """Have the server belong to an installation, from its template of this name on."""
    connection.execute(statement("comment on database {} is {mark}", name, mark=_MARK + owner))
