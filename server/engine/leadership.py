"""One of several services changes the server: the one that holds a lock. What its predecessor left is ended.

A service that is killed leaves its last statement running in the server, which may come to its end after its
successor has made up its mind. So every session is named after its service and its purpose: those that change
something are the leader's alone, and whoever leads ends all others of that kind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection

from server.engine.errors import EngineError, EngineUnavailable
from server.engine.server import Server
from server.engine.sessions import explaining
from server.engine.statements import Row, open_session

CHANGES, READS, LEADS = "twinpress changes", "twinpress reads", "twinpress leads"
"""What the sessions of a service are for; its id follows."""
PATIENCE = 10
"""Seconds until sessions of a predecessor that do not end are reported."""
_LOCK = 731_057_902

_FENCE = """
select count(pg_catalog.pg_terminate_backend(pid)), pg_catalog.array_agg(pid)
from pg_catalog.pg_stat_activity a
where usename = current_user and starts_with(application_name, %(changes)s)
and right(application_name, 8) <> all (%(spared)s)"""

_LEADER = """
select right(a.application_name, 8)
from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
where l.locktype = 'advisory' and l.granted and l.classid = 1 and l.objid = %(lock)s
and a.usename = current_user
and l.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())"""


class Leadership:
    """Leadership of one service, which it has from `try_lead` until it resigns or its session dies."""

    def __init__(self, server: Callable[[], Server], service: str) -> None:
        self._server = server
        self._application = f"{LEADS} {service}"
        self._connection: Connection[Row] | None = None
        self._one = threading.Lock()

    def try_lead(self) -> bool:
        """Whether this service leads from now on, or did already; raises EngineUnavailable."""
        with self._one:
            if self._holds():
                return True
            self._close()
            server = self._server()
            connection = open_session(server, "postgres", self._application)
            if not _locked(connection, server):
                connection.close()
                return False
            self._connection = connection
            return True

    def leads(self) -> bool:
        """Whether it still does; False once the session of the lock has died. Asks the server."""
        with self._one:
            return self._holds()

    def resign(self) -> None:
        """Leave the lock to somebody else; nothing happens when it is not held."""
        with self._one:
            self._close()

    def _holds(self) -> bool:
        """The lock lives as long as its session."""
        if self._connection is None:
            return False
        with suppress(psycopg.Error):
            return self._connection.execute("select 1").fetchone() == (1,)
        return False

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _locked(connection: Connection[Row], server: Server) -> bool:
    try:
        with explaining(server):
            row = connection.execute("select pg_catalog.pg_try_advisory_lock(1, %s)", [_LOCK]).fetchone()
    except EngineError:
        connection.close()
        raise
    return row == (True,)


def fence(connection: Connection[Any], service: str) -> int:
    """End what other services still change, and wait until it has ended; gives the number of sessions.

    A service that leads at this moment is spared: only the leader calls this, but who has just lost the
    leadership may still believe in it.
    """
    ended: set[int] = set()
    ends = time.monotonic() + PATIENCE
    while True:
        leaders = [leader for (leader,) in connection.execute(_LEADER, {"lock": _LOCK})]
        spared = [service, *leaders]
        _, processes = connection.execute(_FENCE, {"changes": CHANGES, "spared": spared}).fetchone() or (
            0,
            None,
        )
        if not processes:
            return len(ended)
        ended.update(processes)
        if time.monotonic() > ends:
            raise EngineUnavailable("what another service has begun does not end", hint="try again")
        time.sleep(0.01)
