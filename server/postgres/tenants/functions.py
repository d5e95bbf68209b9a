"""Functions that do harm to all and that hardly anybody needs: tenants may not call them.

Some nobody can interrupt. Each of these compares all of one value with all of another, and looks for no
interrupt meanwhile: some megabytes take hours. `tests/bench/uninterruptible.py` finds them. Those that many
programs need, such as `strpos` and `replace`, stay: who never ends with them is ended by force. Others fill
the disk of all, where no database's size says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from psycopg import Connection, sql

from server.postgres.statements import script, statement
from server.postgres.tenant_names import PATTERN

RARE = (
    'pg_catalog."position"(bytea, bytea)',
    'pg_catalog."position"(bit, bit)',
    'pg_catalog."normalize"(text, text)',
    "pg_catalog.is_normalized(text, text)",
    "pg_catalog.path_distance(path, path)",
    "pg_catalog.path_inter(path, path)",
    "pg_catalog.poly_distance(polygon, polygon)",
)
FILLING = ("pg_export_snapshot", "pg_logical_emit_message")
"""Those that fill the disk, whatever their arguments, which differ from version to version: the first with a
file for each call, all of them kept until the transaction ends; the second with the server's journal."""
HELD = repr((RARE, FILLING))
MARK = f"twinpress: without functions {hashlib.sha256(HELD.encode()).hexdigest()[:8]}"
"""The comment of a database whose tenant has none of these; other lists have other marks."""

_UNMARKED = """
select datname::text from pg_catalog.pg_database
where datname::text ~ %s and datconnlimit <> -2
and pg_catalog.shobj_description(oid, 'pg_database') is distinct from %s"""

_NAMED = """
select pg_catalog.format('pg_catalog.%%I(%%s)', proname, pg_catalog.oidvectortypes(proargtypes))
from pg_catalog.pg_proc
where pronamespace = 'pg_catalog'::pg_catalog.regnamespace and proname::text = any (%s) order by 1"""

# What differs from the rights that the server began with would be in each dump, whose restore would fail.
_BEGIN_WITH = """
delete from pg_catalog.pg_init_privs where classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass
    and objoid = any (array[{functions}]::pg_catalog.regprocedure[]);
insert into pg_catalog.pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
select oid, 'pg_catalog.pg_proc'::pg_catalog.regclass, 0, 'i', proacl from pg_catalog.pg_proc
where oid = any (array[{functions}]::pg_catalog.regprocedure[])"""


def withheld(connection: Connection[Any]) -> tuple[str, ...]:
    """All of them as this server calls them, each with the types of its arguments."""
    return (*RARE, *(name for (name,) in connection.execute(_NAMED, [list(FILLING)])))


def withhold(connection: Connection[Any]) -> None:
    """Take them from everybody in the connection's database; takes a superuser. May be done again."""
    found = withheld(connection)
    functions = sql.SQL(", ").join(sql.Literal(each) for each in found)
    names = sql.SQL(", ").join(statement(each) for each in found)
    revoked = sql.SQL("revoke execute on function {} from public").format(names)
    begins_with = sql.SQL(_BEGIN_WITH).format(functions=functions)
    may = sql.SQL("set local allow_system_table_mods = on")
    with connection.transaction():
        script(connection, [may, revoked, begins_with])


def mark(name: str) -> sql.Composed:
    """The statement that says that a database is without them."""
    return statement("comment on database {} is {mark}", name, mark=MARK)


def unmarked(connection: Connection[Any]) -> Sequence[str]:
    """The databases of ours in which tenants may have them still."""
    return [name for (name,) in connection.execute(_UNMARKED, [PATTERN, MARK])]
