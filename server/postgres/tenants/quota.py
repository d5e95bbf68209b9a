"""Limit a tenant that has used up its room, and measure the room that each takes.

Its sessions begin read-only, and it can make nothing new. It may still say `set transaction read write` and
delete, which is wanted: otherwise it could not come down again. That it may also insert then is the price;
PostgreSQL knows no limit of a database's size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import Connection, sql

from server.postgres.sessions import Sessions
from server.postgres.statements import script, statement
from server.postgres.tenant_names import PATTERN
from server.postgres.tenants.tenants import Tenants

_OWNS = """
select 1 from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
where n.nspname = 'public' and r.rolname = %s"""

_END_IDLE = """
select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
where usename = %s and state = 'idle'"""

# Temporary tables are in it; what sorts and hashes write to disk is limited by `temp_file_limit`.
_SIZES = """
select datname::text, pg_catalog.pg_database_size(oid) from pg_catalog.pg_database
where datname::text ~ %(pattern)s and (%(names)s::text[] is null or datname::text = any (%(names)s))"""

_BUSY = """
select distinct datname::text from pg_catalog.pg_stat_activity
where datname::text ~ %(pattern)s and usename::text ~ %(pattern)s and state = 'active'"""

# What `VACUUM FULL` and `CLUSTER` do; the new files count beside the old ones until they are done.
_WRITTEN_ANEW = """
select distinct datname::text from pg_catalog.pg_stat_progress_cluster where datname::text ~ %s"""

_READ_ONLY = (
    "alter role {} set default_transaction_read_only = 'on'",
    # What a tenant has set for itself in its database would go before that.
    "alter role {} in database {} set default_transaction_read_only = 'on'",
)


def take_room(tenants: Tenants, sessions: Sessions, name: str) -> None:
    """Let a tenant read and delete only, in sessions that begin from now on; it may undo a part of this."""
    with sessions.session() as connection:
        read_only = [statement(text, *[name] * text.count("{}")) for text in _READ_ONLY]
        revoked = statement("revoke create on database {} from {}", name, name)
        tenants.locker.change(connection, name, *read_only, revoked)
    _in_public(tenants, name, statement("revoke create on schema public from {}", name))


def give_room(tenants: Tenants, sessions: Sessions, name: str) -> None:
    """Undo what `take_room` did, and end sessions that are idle: they would stay read-only in a pool."""
    _in_public(tenants, name, statement("grant create on schema public to {}", name))
    with sessions.session() as connection:
        here = statement("alter role {} in database {} reset default_transaction_read_only", name, name)
        writable = statement("alter role {} reset default_transaction_read_only", name)
        granted = statement("grant create on database {} to {}", name, name)
        tenants.locker.change(connection, name, granted, writable, here)
        connection.execute(_END_IDLE, [name])


def sizes(connection: Connection[Any], names: Sequence[str] | None = None) -> Mapping[str, int]:
    """How much room each tenant's database takes, in bytes, or each of these.

    One that is being dropped is left out.
    """
    rows = connection.execute(_SIZES, {"pattern": PATTERN, "names": None if names is None else list(names)})
    return {name: size for name, size in rows if size is not None}


def busy(connection: Connection[Any]) -> frozenset[str]:
    """The tenants for which a statement runs at this moment: a few seconds of it may write gigabytes."""
    return frozenset(name for (name,) in connection.execute(_BUSY, {"pattern": PATTERN}))


def written_anew(connection: Connection[Any]) -> frozenset[str]:
    """The tenants that write a table anew at this moment, which makes it smaller in the end."""
    return frozenset(name for (name,) in connection.execute(_WRITTEN_ANEW, [PATTERN]))


def _in_public(tenants: Tenants, name: str, change_of_rights: sql.Composed) -> None:
    """A tenant may have dropped its schema `public`: there is nothing to take then."""

    def work() -> None:
        with tenants.acting_for(inner, name):
            script(inner, [statement("set local role {}", name), change_of_rights, sql.SQL("reset role")])

    with tenants.inside(name) as inner:
        if inner.execute(_OWNS, [name]).fetchone():
            tenants.locker.insist(inner, [name], work)
