"""Check that a server which somebody else runs is fit for tenants, and say what its operator has to do.

`problems` must be solved before anything is done on the server; `advice` should be followed.
"""

from __future__ import annotations

from typing import Any

import psycopg
from msgspec import Struct
from psycopg.rows import dict_row

from server.postgres.errors import EngineError
from server.postgres.server import DatabaseServer, is_local
from server.postgres.tenants.extensions import foreign_extensions
from server.postgres.tenants.functions import withheld
from server.postgres.tenants.tenant_settings import EXTENSIONS, HARD, HARMLESS

OLDEST = 150000

_FACTS = """
SELECT current_setting('server_version_num')::int AS version,
    me.rolname::text AS admin, me.rolsuper AS superuser,
    me.rolcreatedb AS creates_databases, me.rolcreaterole AS creates_roles,
    pg_has_role(me.oid, 'pg_signal_backend', 'USAGE') AS ends_sessions,
    pg_has_role(me.oid, 'pg_read_all_stats', 'USAGE') AS sees_sessions,
    has_column_privilege('pg_catalog.pg_authid', 'rolpassword', 'SELECT')
        AND has_column_privilege('pg_catalog.pg_authid', 'rolname', 'SELECT') AS reads_verifiers,
    ARRAY(SELECT d.datname::text FROM pg_database d WHERE d.datallowconn AND EXISTS (
        SELECT FROM aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
        WHERE a.grantee = 0 AND a.privilege_type = 'CONNECT') ORDER BY 1) AS open_databases,
    ARRAY(SELECT r.rolname::text FROM pg_database d JOIN pg_roles r ON r.rolname = d.datname
        WHERE d.datdba = me.oid AND r.oid <> me.oid AND NOT EXISTS (SELECT FROM pg_auth_members m
        WHERE m.roleid = r.oid AND m.member = me.oid AND m.admin_option) ORDER BY 1) AS foreign_tenants,
    current_setting('password_encryption') AS password_encryption,
    current_setting('ssl') = 'on' AS tls,
    coalesce(current_setting('createrole_self_grant', true), '') AS self_grant,
    current_setting('log_statement') AS log_statement,
    current_setting('temp_file_limit') AS temp_file_limit,
    ARRAY(SELECT name FROM unnest(%(hard)s::text[]) name
        WHERE NOT has_parameter_privilege(name, 'SET')) AS unsettable,
    current_setting('max_connections')::int AS max_connections,
    current_setting('max_prepared_transactions')::int AS prepared_transactions
FROM pg_roles me WHERE me.rolname = current_user"""
_TRUSTING = """
SELECT DISTINCT auth_method FROM pg_hba_file_rules
WHERE type <> 'local' AND auth_method IN ('trust', 'password') ORDER BY 1"""


class ServerFacts(Struct, frozen=True, kw_only=True):
    """The facts about a server and its administrator.

    `open_databases` are those to which every role may connect. `foreign_tenants` are roles of tenants, in a
    database of the administrator's, that the administrator may not grant to itself. `trusting` are methods of
    pg_hba.conf that ask for no password or for one in clear; only a superuser sees them.
    """

    version: int
    admin: str
    superuser: bool
    creates_databases: bool
    creates_roles: bool
    ends_sessions: bool
    sees_sessions: bool
    reads_verifiers: bool
    open_databases: tuple[str, ...]
    foreign_tenants: tuple[str, ...]
    password_encryption: str
    self_grant: str
    """What the administrator gets of a role that it makes, from version 16 on."""
    tls: bool
    local: bool
    """Whether tenants are on the same machine as the server."""
    log_statement: str
    temp_file_limit: str
    max_connections: int
    prepared_transactions: int = 0
    trusting: tuple[str, ...] = ()
    unsettable: tuple[str, ...] = ()
    """Limits of tenants that the administrator may not set."""
    foreign_extensions: tuple[str, ...] = ()
    """What tenants could install beside what is offered; none where we are superuser, and prevent it."""
    harmful_functions: tuple[str, ...] = ()
    """What tenants can call and does harm to all; none where we are superuser, and take it from them."""


def preflight(server: DatabaseServer) -> ServerFacts:
    """Ask the server. Raises EngineError, which says so when the server is too old."""
    with server.connect(application="twinpress preflight") as connection:
        _check_version(connection, server)
        try:
            return _asked(connection, server)
        except psycopg.Error as error:
            said = error.diag.message_primary or str(error)
            place = server.place
            raise EngineError(f"the server cannot be examined: {said}", path=place) from error


def _check_version(connection: psycopg.Connection[Any], server: DatabaseServer) -> None:
    version = connection.info.server_version
    if version < OLDEST:
        message = f"the server is PostgreSQL {version // 10000}, which is too old"
        hint = f"Twinpress needs version {OLDEST // 10000} or newer"
        raise EngineError(message, path=server.place, hint=hint)


def _asked(connection: psycopg.Connection[Any], server: DatabaseServer) -> ServerFacts:
    row = connection.cursor(row_factory=dict_row).execute(_FACTS, {"hard": list(HARD)}).fetchone() or {}
    superuser = row["superuser"]
    trusting = [method for (method,) in connection.execute(_TRUSTING)] if superuser else []
    foreign = () if superuser else foreign_extensions(connection, (*EXTENSIONS, *HARMLESS))
    lists = {name: tuple(row[name]) for name in ("open_databases", "foreign_tenants", "unsettable")}
    lists |= {"trusting": tuple(trusting), "foreign_extensions": tuple(foreign)}
    lists |= {"harmful_functions": () if superuser else withheld(connection)}
    return ServerFacts(**{**row, **lists, "local": is_local(server.public_host)})
