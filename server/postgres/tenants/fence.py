"""End what a service that leads no more has left running on the server.

A service that is killed leaves its last statement running in the server, which may come to its end after its
successor has made up its mind. So every session is named after its service and its purpose: those that change
something are the leader's alone, and whoever leads ends all others of that kind.
"""

from __future__ import annotations

import time
from typing import Any

from psycopg import Connection

from server.postgres.errors import EngineUnavailable
from server.postgres.tenants.leadership import CHANGES, LEADER, LOCK

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
