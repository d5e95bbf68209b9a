"""Count groups of lockers, and remember since when.

A row that several transactions have locked names their group by a number; who is in which, PostgreSQL keeps
for all tenants, beside every storage, until no open transaction and no table can ask for it. It does not tell
with which number a transaction began. So the numbers are noted as time goes by.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from psycopg import Connection

# `mxid_age` counts from now, also in a transaction that never ends. Numbers go round.
NOW = """
select pg_catalog.clock_timestamp(), (pg_catalog.mxid_age('1')::int8 + 4294967297) % 4294967296"""
_ROUND = 1 << 32
_STEPS = 100
"""Into as many parts what is asked about is divided: so precise is the answer."""


class _Seen(Struct, frozen=True):
    at: datetime
    number: int


class Multixacts:
    """The multixacts seen, the oldest first. `most` is how many of them are looked for, and twice as many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: list[_Seen] = []

    def look(self, connection: Connection[Any]) -> None:
        """Note how many there are now."""
        row = connection.execute(NOW).fetchone()
        if row is None:
            return
        now = _Seen(*row)
        if len(self._seen) > 1 and _since(self._seen[-2], now) < self._most // _STEPS:
            self._seen.pop()
        self._seen.append(now)
        while len(self._seen) > 2 and _since(self._seen[1], now) >= 2 * self._most:
            self._seen.pop(0)

    def before(self, times: int = 1) -> datetime | None:
        """Since then there were `most` of them, so many times; None when there were not."""
        wanted = times * self._most
        return next(
            (each.at for each in reversed(self._seen) if _since(each, self._seen[-1]) >= wanted), None
        )


def _since(earlier: _Seen, later: _Seen) -> int:
    return (later.number - earlier.number) % _ROUND
