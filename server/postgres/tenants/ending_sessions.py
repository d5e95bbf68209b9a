"""Sessions of tenants that were asked to end, until they are gone.

`pg_terminate_backend` only asks. PostgreSQL has computations that hear nothing until they are over, which may
be never: so who was asked is remembered and looked for, and nothing is called ended that is not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from threading import Lock
from typing import Any

from msgspec import Struct
from psycopg import Connection

from server.postgres.tenant_names import PATTERN

LOCKED, IN_THE_WAY, EARLIER = "its database is locked", "in the way of a change", "its login is an old one"
SETTINGS = "the settings of roles grow"
HOLDS_UP = "another database cannot be dropped while it hears nothing"
ALIKE = "it computes as another session of its account does, which hears nothing"
"""Why one is asked to end, beside what `session_limits` says."""
LOOK = """
select usename::text, pid, backend_start, coalesce(wait_event, '')
from pg_catalog.pg_stat_activity
where pid = any (%(processes)s) and backend_type = 'client backend'"""
"""Finds what is left of some processes."""
_TENANT = re.compile(PATTERN)


class Session(Struct, frozen=True):
    """A session of a tenant: its number alone says nothing, as the next session may get the same."""

    name: str
    process: int
    began: datetime


class EndingSession(Struct, frozen=True):
    """A session that was asked to end, why, and how many seconds ago.

    `waits` is what it waits for at this moment, such as the disk; "" for nothing.
    """

    session: Session
    why: str
    seconds: float
    waits: str = ""


class Look(Struct, frozen=True):
    """The findings of one look: who has ended since the last one, and who is still there."""

    ended: tuple[EndingSession, ...] = ()
    left: tuple[EndingSession, ...] = ()


class Endings:
    """Remembers who was asked. For several threads; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: dict[Session, tuple[str, float]] = {}
        self._guard = Lock()

    def note(self, asked: Iterable[Session], why: str) -> list[Session]:
        """These were asked to end now; gives those that had not been before. Others than tenants are none."""
        tenants = [each for each in asked if _TENANT.match(each.name)]
        with self._guard:
            new = [each for each in tenants if each not in self._asked]
            self._asked |= dict.fromkeys(new, (why, self._clock()))
        return new

    def look(self, connection: Connection[Any]) -> Look:
        """Look for all of them; who has ended is forgotten."""
        with self._guard:
            asked = dict(self._asked)
        if not asked:
            return Look()
        processes = [each.process for each in asked]
        rows = connection.execute(LOOK, {"processes": processes}).fetchall()
        left = {Session(*row[:3]): row[3] for row in rows}
        now = self._clock()
        told = [EndingSession(each, why, now - at, left.get(each, "")) for each, (why, at) in asked.items()]
        ended = tuple(each for each in told if each.session not in left)
        with self._guard:
            for each in ended:
                self._asked.pop(each.session, None)
        return Look(ended, tuple(each for each in told if each.session in left))


def sessions(rows: Sequence[Sequence[Any]]) -> list[Session]:
    """The sessions of rows that begin with name, process and beginning."""
    return [Session(*row[:3]) for row in rows]
