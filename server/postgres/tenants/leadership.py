"""One of several services changes the server: the one that holds a lock.

A service may also stand still and keep its lock: the machine is suspended, or somebody has stopped it. So who
leads says something every second, and loses the lead to the next who asks when it has long said nothing.

A service that is killed leaves its last statement running in the server, which may come to its end after its
successor has made up its mind. So every session is named after its service and its purpose: those that change
something are the leader's alone, and whoever leads ends all others of that kind (`fence`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection

from server.postgres.errors import EngineError, EngineUnavailable
from server.postgres.server import DatabaseServer
from server.postgres.sessions import explaining
from server.postgres.statements import Row, open_session

CHANGES, READS, LEADS = "twinpress changes", "twinpress reads", "twinpress leads"
"""What the sessions of a service are for; its id follows."""
LEASE, BEAT = 8.0, 1.0
"""Seconds of silence after which a leader is deposed, and those between two signs of life."""
LOCK = 731_057_902
"""The number of the lock: the second of the pair whose first is 1."""
_LOG = logging.getLogger("twinpress.engine")

_HOLDS = """
from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
where l.locktype = 'advisory' and l.granted and l.classid = 1 and l.objid = %(lock)s
and a.usename = current_user
and l.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())"""
_LOCKED = "select pg_catalog.pg_try_advisory_lock(1, %s)"
LEADER = f"select right(a.application_name, 8) {_HOLDS}"
"""Finds the id of the service that leads."""
_DEPOSE = f"""
select right(a.application_name, 8), pg_catalog.pg_terminate_backend(a.pid) {_HOLDS}
and pg_catalog.clock_timestamp() - a.state_change > pg_catalog.make_interval(secs => %(lease)s)"""


class Leadership:
    """Leadership of one service, which it has from `try_lead` until it resigns or its session dies.

    `lease` and `beat` are as LEASE and BEAT.
    """

    def __init__(
        self, server: Callable[[], DatabaseServer], service: str, *, lease: float = LEASE, beat: float = BEAT
    ) -> None:
        self._server = server
        self._application = f"{LEADS} {service}"
        self._lease, self._beat = lease, beat
        self._connection: Connection[Row] | None = None
        self._one = threading.Lock()
        self._resigned = threading.Event()

    def try_lead(self) -> bool:
        """Return whether this service leads from now on, or did already; raises EngineUnavailable."""
        with self._one:
            if self._holds():
                return True
            self._close()
            server = self._server()
            connection = open_session(server, "postgres", self._application)
            if not self._locked(connection, server):
                connection.close()
                return False
            self._begin(connection)
            return True

    def leads(self) -> bool:
        """Return whether it still does; False once the session of the lock has died. Asks the server."""
        with self._one:
            return self._holds()

    def resign(self) -> None:
        """Leave the lock to somebody else; nothing happens when it is not held."""
        with self._one:
            self._close()

    def _locked(self, connection: Connection[Row], server: DatabaseServer) -> bool:
        """Return whether this session has the lock.

        Who has it and says nothing loses it, to whoever asks next.
        """
        try:
            with explaining(server):
                if connection.execute(_LOCKED, [LOCK]).fetchone() == (True,):
                    return True
                for leader, _ in connection.execute(_DEPOSE, {"lock": LOCK, "lease": self._lease}):
                    _LOG.warning("the service %s leads and says nothing: it is deposed", leader)
                return False
        except EngineError:
            connection.close()
            raise

    def _begin(self, connection: Connection[Row]) -> None:
        self._connection = connection
        self._resigned = threading.Event()
        name = "twinpress-leads"
        threading.Thread(target=self._live, args=[connection, self._resigned], name=name, daemon=True).start()

    def _live(self, connection: Connection[Row], resigned: threading.Event) -> None:
        """Say something regularly, whatever all other threads wait for."""
        while not resigned.wait(self._beat):
            with self._one:
                if self._connection is not connection or not self._holds():
                    return

    def _holds(self) -> bool:
        """The lock lives as long as its session."""
        if self._connection is None:
            return False
        with suppress(psycopg.Error):
            return self._connection.execute("select 1").fetchone() == (1,)
        return False

    def _close(self) -> None:
        self._resigned.set()
        if self._connection is not None:
            self._connection.close()
        self._connection = None


PATIENCE = 10
"""Seconds until sessions of a predecessor that do not end are reported."""

_FENCE = """
select pid, pg_catalog.pg_terminate_backend(pid)
from pg_catalog.pg_stat_activity a
where usename = current_user and starts_with(application_name, %(changes)s)
and right(application_name, 8) <> all (%(spared)s)"""


def fence(connection: Connection[Any], service: str) -> int:
    """End what other services still change, and wait until it has ended; gives the number of sessions.

    A service that leads at this moment is spared: only the leader calls this, but who has just lost the
    leadership may still believe in it.
    """
    ended: set[int] = set()
    ends = time.monotonic() + PATIENCE
    while True:
        leaders = [leader for (leader,) in connection.execute(LEADER, {"lock": LOCK})]
        spared = [service, *leaders]
        found = connection.execute(_FENCE, {"changes": CHANGES, "spared": spared}).fetchall()
        if not found:
            return len(ended)
        ended.update(process for process, _ in found)
        if time.monotonic() > ends:
            raise EngineUnavailable("what another service has begun does not end", hint="try again")
        time.sleep(0.01)
