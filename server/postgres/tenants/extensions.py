"""The extensions that tenants may install, and how a server whose superuser we are holds them to it.

PostgreSQL lets whoever may create in a database install each extension that is marked as trusted. What is
marked so depends on the server's packages: Debian's `postgresql-plperl-15` is enough for another language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection, sql

from server.postgres.statements import script

GUARD = "twinpress_extensions"

_FUNCTION = """
create function pg_catalog.{guard}() returns pg_catalog.event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $guard$
declare refused pg_catalog.text;
begin
    select e.extname into refused
    from pg_catalog.pg_extension e join pg_catalog.pg_roles r on r.oid = e.extowner
    where r.rolname = current_user and not r.rolsuper and e.extname <> all (array[{allowed}]) limit 1;
    if found then
        raise exception 'the extension "%" is not offered here', refused using errcode = '42501';
    end if;
end $guard$"""
# What CASCADE installed beside has no event of its own, so all that the tenant has is looked at.

_TRIGGER = """
create event trigger {guard} on ddl_command_end when tag in ('CREATE EXTENSION')
    execute function pg_catalog.{guard}();
alter extension plpgsql add event trigger {guard}"""
# A member of an extension is in no dump, nor is what stands in pg_catalog: tenants can restore their dumps.


def guard_extensions(connection: Connection[Any], allowed: Sequence[str]) -> None:
    """Refuse tenants all other extensions in the connection's database; takes a superuser.

    Event triggers belong to superusers, so that no tenant can remove or disable this one.
    """
    names = sql.SQL(", ").join(sql.Literal(name) for name in allowed)
    guard = sql.Identifier(GUARD)
    function = sql.SQL(_FUNCTION).format(guard=guard, allowed=names)
    script(connection, [function, sql.SQL(_TRIGGER).format(guard=guard)])


def foreign_extensions(connection: Connection[Any], allowed: Sequence[str]) -> Sequence[str]:
    """The extensions that tenants of this server could install though they are not in the list.

    For a server whose superuser we are not: only its operator can remove their packages.
    """
    found = connection.execute(
        "select distinct name::text from pg_catalog.pg_available_extension_versions"
        " where trusted and not (name::text = any (%s)) order by 1",
        [list(allowed)],
    )
    return [name for (name,) in found]
