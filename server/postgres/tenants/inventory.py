"""List what the server has in our names, rights that its administrator lacks, and right passwords.

A tenant is a database and a role of the same name. The role owns the schema `public` of its database and what
it makes there, not the database itself.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection

from server.postgres.login import password_is_right
from server.postgres.scram import verifier_matches
from server.postgres.server import DatabaseServer
from server.postgres.tenant_names import PATTERN

INVALID = -2
"""The limit of connections of a database whose removal was interrupted: it can only be dropped."""


class TenantState(Struct, frozen=True):
    """The state of the server under one name of ours. A limit is -1 when there is none or nothing to limit.

    `read_only` is whether its sessions begin so (`set_full`). `database_limit` may be INVALID.
    """

    name: str
    database: bool
    role: bool
    login: bool
    role_limit: int
    database_limit: int
    read_only: bool


class Present(Struct, frozen=True):
    """A session that is there; `busy` is for how many seconds it has been at what it does now."""

    name: str
    process: int
    busy: float


_MAY_FLUSH = """
select rolsuper or exists (
    select from pg_catalog.pg_roles c
    where c.rolname = 'pg_checkpoint' and pg_catalog.pg_has_role(c.oid, 'usage')
) from pg_catalog.pg_roles where rolname = current_user"""

_FOUND = """
with role as (
    select r.oid, r.rolname::text as name, r.rolcanlogin, r.rolconnlimit
    from pg_catalog.pg_roles r where r.rolname::text ~ %(pattern)s
), database as (
    select d.datname::text as name, d.datconnlimit
    from pg_catalog.pg_database d where d.datname::text ~ %(pattern)s
)
select coalesce(role.name, database.name), database.name is not null, role.name is not null,
    coalesce(rolcanlogin, false), coalesce(rolconnlimit, -1), coalesce(datconnlimit, -1),
    coalesce('default_transaction_read_only=on' = any (s.setconfig), false)
from role full join database on role.name = database.name
left join pg_catalog.pg_db_role_setting s on s.setrole = role.oid and s.setdatabase = 0"""

_LACKING = """
select role from unnest(array['pg_signal_backend', 'pg_read_all_stats']) role
where not pg_catalog.pg_has_role(current_user, role, 'USAGE')
union all
select upper(substr(attribute, 4)) from (
    select unnest(array['rolcreatedb', 'rolcreaterole']) attribute,
        unnest(array[rolcreatedb, rolcreaterole]) has, rolsuper
    from pg_catalog.pg_roles where rolname = current_user
) own where not (has or rolsuper)"""

_SESSIONS = """
select datname::text, pid,
    extract(epoch from pg_catalog.clock_timestamp() - coalesce(state_change, backend_start))::float8
from pg_catalog.pg_stat_activity
where datname::text = any (%s) and usename::text ~ %s and backend_type = 'client backend' order by 1, 2"""

_READS_VERIFIERS = """
select pg_catalog.has_column_privilege('pg_catalog.pg_authid', 'rolname', 'SELECT')
and pg_catalog.has_column_privilege('pg_catalog.pg_authid', 'rolpassword', 'SELECT')"""
_VERIFIER = "select rolpassword from pg_catalog.pg_authid where rolname = %s"


def found(connection: Connection[Any]) -> Mapping[str, TenantState]:
    """All roles and databases of ours, by name."""
    rows = connection.execute(_FOUND, {"pattern": PATTERN})
    return {row[0]: TenantState(*row) for row in rows}


def sessions(connection: Connection[Any], names: Sequence[str]) -> Sequence[Present]:
    """The sessions of tenants in these databases."""
    return [Present(*row) for row in connection.execute(_SESSIONS, [list(names), PATTERN])]


def lacking_rights(connection: Connection[Any]) -> Sequence[str]:
    """The roles and attributes that the administrator needs and does not have."""
    return [name for (name,) in connection.execute(_LACKING)]


class PasswordChecks:
    """A check of the server's passwords against ours; remembers each tenant's last that was right."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)
        self._right: dict[str, bytes] = {}

    def verify(self, connection: Connection[Any], server: DatabaseServer, name: str, password: str) -> bool:
        """Return whether the tenant's password is this one; False too for a name unknown to the server."""
        if connection.execute(_READS_VERIFIERS).fetchone() != (True,):
            return password_is_right(server, name, password)
        row = connection.execute(_VERIFIER, [name]).fetchone()
        return row is not None and row[0] is not None and self._matches(name, password, row[0])

    def _matches(self, name: str, password: str, verifier: str) -> bool:
        """Computing a verifier takes 2 ms, so it is done once for each."""
        mark = hashlib.blake2b(f"{verifier}\0{password}".encode(), key=self._key).digest()
        if self._right.get(name) == mark:
            return True
        if matches := verifier_matches(password, verifier):
            self._right[name] = mark
        return matches

    def forget(self, name: str) -> None:
        """Forget a tenant that is no more."""
        self._right.pop(name, None)


def checkpoint(connection: Connection[Any]) -> None:
    """A checkpoint, by whoever may make one: since version 15 there is a role for it."""
    if connection.execute(_MAY_FLUSH).fetchone() == (True,):
        connection.execute("checkpoint")
