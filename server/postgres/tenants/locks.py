"""Locks of tenants: nobody logs in any more, and no session is left.

A tenant can fight back: it may begin a transaction, change its own role in it, and so keep our change of that
role waiting for as long as it likes; and a login may be half way through. Hence the order. The limit of the
database comes first, because tenants cannot touch it; it refuses new sessions. Then the sessions are ended,
and only then, with nobody left to stand in the way, the roles are changed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection, sql

from server.postgres.errors import EngineUnavailable, SessionsLeft
from server.postgres.statements import names_of, script, stands_in_the_way, statement
from server.postgres.tenant_names import PATTERN
from server.postgres.tenants.ending_sessions import (
    ALIKE,
    HOLDS_UP,
    IN_THE_WAY,
    LOCKED,
    Endings,
    Session,
    sessions,
)

PATIENCE = 10
"""Seconds until sessions that do not end are reported."""
LIMITS = threading.Lock()
"""Held by who changes limits of connections: somebody else lifts one for a moment to enter a database."""
_PAUSE = 0.005
_TRIES = 20
_GONE = ("42704", "3D000")
"""No such role, no such database: dropped between a look at the catalog and what follows from it."""

_ROLES = "select rolname::text from pg_catalog.pg_roles where rolname::text = any (%s)"
_OPEN = "select rolname::text from pg_catalog.pg_roles where rolcanlogin and rolname::text = any (%s)"
_DATABASES = (
    "select datname::text from pg_catalog.pg_database where datname::text = any (%s) and datconnlimit <> -2"
)

# A session takes this lock on its database before it looks at the limit, and lets go of it when it can be
# seen in pg_stat_activity; so who asks for locks first and for sessions then, misses none.
_LOGINS = """
select count(*) from pg_catalog.pg_locks l join pg_catalog.pg_database d on d.oid = l.objid
where l.locktype = 'object' and l.database = 0 and l.classid = 'pg_catalog.pg_database'::pg_catalog.regclass
and l.mode = 'RowExclusiveLock' and l.pid <> pg_catalog.pg_backend_pid() and d.datname::text = any (%s)"""

_SESSIONS = """
select a.usename::text, a.pid, a.backend_start, pg_catalog.pg_terminate_backend(a.pid)
from pg_catalog.pg_stat_activity a join pg_catalog.pg_roles r on r.oid = a.usesysid
where (a.usename::text = any (%(names)s) or a.datname::text = any (%(names)s))
and not r.rolsuper and r.rolname <> current_user"""

_HOLDING_UP = """
select usename::text, pid, backend_start, pg_catalog.pg_terminate_backend(pid)
from pg_catalog.pg_stat_activity
where pid = %(process)s and usename::text ~ %(pattern)s and backend_type = 'client backend'
and wait_event is null"""
_ALIKE = """
select usename::text, pid, backend_start, pg_catalog.pg_terminate_backend(pid)
from pg_catalog.pg_stat_activity
where usename::text = any (%(names)s) and backend_type = 'client backend' and wait_event is null
and state = 'active' and pg_catalog.clock_timestamp() - query_start > '5 s'"""
# The server names who holds it up after so many seconds.
_LOG = logging.getLogger("twinpress.engine")


class Locker:
    """Locks, unlocks and changes tenants, whatever they do; whom it asks to end is noted in `endings`."""

    def __init__(self, endings: Endings) -> None:
        self._endings = endings

    def lock(self, connection: Connection[Any], names: Sequence[str]) -> None:
        """Lock tenants, and return when none has a session. Names that the server lacks are left out.

        For many tenants this takes two transactions, and one look at the sessions of all of them.
        """
        self.insist(connection, names, lambda: _limit(connection, names), _GONE)
        try:
            self._end_sessions(connection, names)
        finally:
            # Some computations cannot be interrupted; who is at one can begin nothing else.
            self.insist(connection, names, lambda: _forbid(connection, names), _GONE)
        self._end_sessions(connection, names)

    def unlock(self, connection: Connection[Any], limits: Mapping[str, int]) -> None:
        """Let tenants log in again. Names that the server lacks are left out."""
        names = list(limits)

        def allow() -> None:
            with LIMITS:
                databases = names_of(connection, _DATABASES, names)
                roles = names_of(connection, _ROLES, names)
                limited = [_limited("database {}", name, limits[name]) for name in databases]
                opened = [_limited("role {} login", name, limits[name]) for name in roles]
                script(connection, [*limited, *opened])

        self.insist(connection, names, allow, _GONE)

    def limit_open(self, connection: Connection[Any], name: str, connections: int) -> None:
        """Set the limits of a tenant, unless it is locked."""

        def limit() -> None:
            with LIMITS:
                if names_of(connection, _OPEN, [name]):
                    both = ("database {}", "role {}")
                    script(connection, [_limited(what, name, connections) for what in both])

        self.insist(connection, [name], limit)

    def change(self, connection: Connection[Any], name: str, *statements: sql.Composable) -> None:
        """Run statements about a tenant in one transaction, also when the tenant tries to prevent it.

        Sessions of a tenant that stands in the way are ended.
        """
        self.insist(connection, [name], lambda: script(connection, statements))

    def insist(
        self,
        connection: Connection[Any],
        names: Sequence[str],
        work: Callable[[], None],
        again: Container[str] = (),
    ) -> None:
        """Do work about tenants, again and again while one of them stands in the way and is asked to end.

        It is done again, too, when it fails with one of the SQLSTATEs in `again`.
        """
        for _ in range(_TRIES):
            try:
                return work()
            except psycopg.Error as error:
                if stands_in_the_way(error):
                    self._ask(connection, names, IN_THE_WAY)
                elif error.sqlstate not in again:
                    raise
        raise EngineUnavailable("another program keeps changing these roles or databases", hint="try again")

    def _end_sessions(self, connection: Connection[Any], names: Sequence[str]) -> None:
        """Ask sessions of tenants to end until two looks in a row find none, and no login on its way.

        For names that may not log in; raises SessionsLeft after `PATIENCE`.
        """
        ends, empty = time.monotonic() + PATIENCE, 0
        while empty < 2:
            left = self._sweep(connection, names)
            empty = 0 if left else empty + 1
            if left and time.monotonic() > ends:
                raise SessionsLeft(
                    f"nobody can log in to {len(names)} locked databases any more, but sessions that were "
                    f"asked to end go on: {', '.join(sorted(left))}",
                    hint="this is tried again; see the server's load",
                )
            time.sleep(_PAUSE)

    def _sweep(self, connection: Connection[Any], names: Sequence[str]) -> set[str]:
        """Sessions that there were, and logins on their way, in words; the sessions are asked to end."""
        logins = _count(connection, _LOGINS, [list(names)])
        found = self._ask(connection, names, LOCKED)
        return {f"process {each.process} of {each.name}" for each in found} | (
            {f"logins that are on their way: {logins}"} if logins else set()
        )

    def ask_who_holds_up(self, connection: Connection[Any], process: int) -> None:
        """Ask a session to end for which the server waits before it drops a database, if it computes."""
        found = connection.execute(_HOLDING_UP, {"process": process, "pattern": PATTERN}).fetchall()
        self._tell(self._endings.note(sessions(found), HOLDS_UP), HOLDS_UP)

    def ask_who_is_alike(self, connection: Connection[Any], names: Sequence[str]) -> None:
        """Ask sessions of these tenants to end that compute for as long as one that holds others up."""
        found = connection.execute(_ALIKE, {"names": list(names)}).fetchall()
        self._tell(self._endings.note(sessions(found), ALIKE), ALIKE)

    def _tell(self, asked: Sequence[Session], why: str) -> None:
        for each in asked:
            _LOG.info("asked a session of %s to end (process %d): %s", each.name, each.process, why)

    def _ask(self, connection: Connection[Any], names: Sequence[str], why: str) -> list[Session]:
        """Ask sessions of these tenants to end, and give them."""
        found = sessions(connection.execute(_SESSIONS, {"names": list(names)}).fetchall())
        self._endings.note(found, why)
        return found


def _limit(connection: Connection[Any], names: Sequence[str]) -> None:
    with LIMITS:
        found = names_of(connection, _DATABASES, names)
        script(connection, [_limited("database {}", name, 0) for name in found])


def _forbid(connection: Connection[Any], names: Sequence[str]) -> None:
    found = names_of(connection, _ROLES, names)
    orders = [_limited("role {} nologin", name, 0) for name in found]
    try:
        script(connection, orders)
    except psycopg.Error:
        # One that is kept from us keeps no other one open.
        for order in orders:
            with suppress(psycopg.Error):
                script(connection, [order])
        raise


def _limited(what: str, name: str, connections: int) -> sql.Composed:
    return statement(f"alter {what} connection limit {{limit}}", name, limit=connections)


def _count(connection: Connection[Any], query: Any, parameters: Any) -> int:
    row = connection.execute(query, parameters).fetchone()
    return int(row[0]) if row else 0
