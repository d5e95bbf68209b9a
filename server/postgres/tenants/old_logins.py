"""Sessions of a tenant that began before its password was changed, and logins that were on their way then.

A login gets the verifier at its beginning, and may then take as long as `authentication_timeout` says: who
begins one with the old password, and finishes it when the password is changed, would be in. PostgreSQL tells
nobody as whom such a login will end, but a session's beginning is that of its login. So whatever appears with
a beginning before the change, and was no session at that time, is ended.

A layer below `provisioning`, which changes passwords: it ends sessions alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import Any

from msgspec import Struct
from psycopg import Connection

from server.postgres.sessions import Sessions
from server.postgres.tenants.ending_sessions import EARLIER, Endings, sessions

WAIT = 1.0
"""Seconds that sessions get to end, while somebody waits: a computation that cannot be interrupted takes
longer, and can do nothing else when it is over."""
LATER = 5.0
"""Seconds beyond the timeout, for a login that the server ends late."""
_PAUSE = 0.005

_NOW = """
select pg_catalog.clock_timestamp(), setting::float from pg_catalog.pg_settings
where name = 'authentication_timeout'"""
_SESSIONS = "select pid from pg_catalog.pg_stat_activity where usename = %s"
_END = """
select a.usename::text, a.pid, a.backend_start, pg_catalog.pg_terminate_backend(a.pid)
from pg_catalog.pg_stat_activity a
join unnest(%(names)s::text[], %(befores)s::timestamptz[]) w (name, before) on a.usename = w.name
where a.backend_start < w.before and a.pid <> all (%(kept)s::int[])"""


class _Watched(Struct, frozen=True):
    """`before` is by the server's clock, `until` in seconds of our own."""

    before: datetime
    kept: tuple[int, ...]
    until: float


class OldLogins:
    """The watched logins, known to this process alone: a leader after a crash does not go on with them."""

    def __init__(self, sessions: Sessions, endings: Endings) -> None:
        self._sessions, self._endings = sessions, endings
        self._watched: dict[str, _Watched] = {}
        self._guard = Lock()

    def watch(self, connection: Connection[Any], name: str, kept: Sequence[int] = ()) -> None:
        """From now on, `sweep` ends sessions of a tenant that began before now; `kept` are let be."""
        for now, seconds in connection.execute(_NOW).fetchall():
            watched = _Watched(now, tuple(kept), time.monotonic() + seconds + LATER)
            with self._guard:
                self._watched[name] = watched

    def end(self, name: str) -> None:
        """End the sessions that are watched for; returns when there are none, or after some time."""
        ends = time.monotonic() + WAIT
        while self._sweep({name: self._watched[name]}) and time.monotonic() < ends:
            time.sleep(_PAUSE)

    def sweep(self) -> int:
        """End what has appeared; to be called often. Gives how many that were. Raises EngineUnavailable."""
        with self._guard:
            now = time.monotonic()
            self._watched = {name: each for name, each in self._watched.items() if now < each.until}
            watched = dict(self._watched)
        return self._sweep(watched) if watched else 0

    def _sweep(self, watched: dict[str, _Watched]) -> int:
        befores = [each.before for each in watched.values()]
        kept = [process for each in watched.values() for process in each.kept]
        given = {"names": list(watched), "befores": befores, "kept": kept}
        # Not one of the sessions for changes, and for no longer than this: others wait for those.
        with self._sessions.session() as connection:
            found = sessions(connection.execute(_END, given).fetchall())
        self._endings.note(found, EARLIER)
        return len(found)


def sessions_of(connection: Connection[Any], name: str) -> list[int]:
    """The processes of a tenant's sessions."""
    return [process for (process,) in connection.execute(_SESSIONS, [name])]
