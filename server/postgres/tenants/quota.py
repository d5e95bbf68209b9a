"""Limit a tenant that has used up its room, and measure what each takes, and all in the common catalog.

Its sessions begin read-only, and it can make nothing new. It may still say `set transaction read write` and
delete, which is wanted: otherwise it could not come down again. That it may also insert then is the price;
PostgreSQL knows no limit of a database's size.

What tenants write into the catalog that all of them share counts to no database's size. Each role may give
settings to itself, as long and as often as it likes: PostgreSQL keeps them in two tables of that catalog,
whose old rows stay while any transaction of the server may still see them. Nothing takes that right from a
role. So the size of the two tables is watched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection, sql

from server.postgres.sessions import Sessions
from server.postgres.statements import script, statement
from server.postgres.tenant_names import PATTERN
from server.postgres.tenants.ending_sessions import Session, sessions
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
    """Return the size of each tenant's database, in bytes, or of each of these.

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


LONG = 8192
"""Bytes that one setting of a role may have when the tables are large."""

_CATALOG_SIZE = """
select pg_catalog.sum(pg_catalog.pg_total_relation_size(oid))::int8 from pg_catalog.pg_class
where oid in ('pg_catalog.pg_db_role_setting'::pg_catalog.regclass,
    'pg_catalog.pg_authid'::pg_catalog.regclass)"""

# Who changes a row keeps this lock until its transaction ends. In steps: the planner may end sessions first.
_WRITERS = """
with writer as materialized (
    select distinct a.usename::text as name, a.pid, a.backend_start
    from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.database = 0 and l.mode = 'RowExclusiveLock' and l.granted
    and l.relation in ('pg_catalog.pg_db_role_setting'::pg_catalog.regclass,
        'pg_catalog.pg_authid'::pg_catalog.regclass)
    and a.usename::text ~ %(pattern)s and a.backend_type = 'client backend'
)
select name, pid, backend_start from writer where pg_catalog.pg_terminate_backend(pid)"""

# What takes little room as it is kept, compressed, is left alone: to look into it takes time.
_LONG = """
select r.rolname::text, coalesce(d.datname::text, ''), pg_catalog.split_part(each, '=', 1)
from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole
left join pg_catalog.pg_database d on d.oid = s.setdatabase, pg_catalog.unnest(s.setconfig) each
where r.rolname::text ~ %(pattern)s and pg_catalog.octet_length(each) > %(long)s
and pg_catalog.pg_column_size(s.setconfig) > 2000"""


class LongSetting(Struct, frozen=True):
    """A setting that a tenant has given to its role, for one database or, where that is "", for all."""

    tenant: str
    database: str
    name: str

    def reset(self) -> sql.Composed:
        """The statement that takes it back."""
        if self.database:
            return statement("alter role {} in database {} reset {}", self.tenant, self.database, self.name)
        return statement("alter role {} reset {}", self.tenant, self.name)


def catalog_size(connection: Connection[Any]) -> int:
    """The bytes of the two tables, with what nobody sees any more."""
    (found,) = connection.execute(_CATALOG_SIZE).fetchone() or (0,)
    return int(found)


def end_writers(connection: Connection[Any]) -> Sequence[Session]:
    """Ask sessions of tenants that change a role of theirs in this moment to end, and give them."""
    return sessions(connection.execute(_WRITERS, {"pattern": PATTERN}).fetchall())


def long_settings(connection: Connection[Any]) -> Sequence[LongSetting]:
    """The settings that are too long."""
    found = connection.execute(_LONG, {"pattern": PATTERN, "long": LONG})
    return [LongSetting(*row) for row in found]
