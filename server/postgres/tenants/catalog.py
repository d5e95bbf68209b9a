"""Measure what tenants write into the catalog that all of them share: it counts to no database's size.

Each role may give settings to itself, as long and as often as it likes: PostgreSQL keeps them in two tables
of that catalog, whose old rows stay while any transaction of the server may still see them. Nothing takes
that right from a role. So the size of the two tables is watched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection, sql

from server.postgres.statements import statement
from server.postgres.tenant_names import PATTERN
from server.postgres.tenants.endings import Session, sessions

LONG = 8192
"""Bytes that one setting of a role may have when the tables are large."""

_SIZE = """
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


def size(connection: Connection[Any]) -> int:
    """The bytes of the two tables, with what nobody sees any more."""
    (found,) = connection.execute(_SIZE).fetchone() or (0,)
    return int(found)


def end_writers(connection: Connection[Any]) -> Sequence[Session]:
    """Ask sessions of tenants that change a role of theirs in this moment to end, and give them."""
    return sessions(connection.execute(_WRITERS, {"pattern": PATTERN}).fetchall())


def long_settings(connection: Connection[Any]) -> Sequence[LongSetting]:
    """The settings that are too long."""
    found = connection.execute(_LONG, {"pattern": PATTERN, "long": LONG})
    return [LongSetting(*row) for row in found]
