"""Count attempts, such as to guess a password, and refuse more: for all processes of a service together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from msgspec import Struct

from server.control.errors import TooManyAttempts
from server.control.sqlite.database import ControlDatabase, Transaction

SLOT = 60
"""Seconds that are counted together."""
LONGEST = 3600
"""Seconds that the longest limit looks back."""
_BLOCKS = {4: 24, 6: 56}
"""Bits of an address that who changes it keeps: what providers give to one customer, or to few."""


class Limit(Struct, frozen=True):
    """At most `most` attempts on `subject` within `seconds`."""

    subject: str
    most: int
    seconds: int


class Attempts:
    """The attempts in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def take(self, limits: Sequence[Limit]) -> None:
        """Count one attempt on each subject; none where one is at its limit. Raises TooManyAttempts.

        Counted before the attempt: of many at once, none gets past the limit.
        """
        now = int(self._clock())
        with self._database.change() as change:
            for limit in limits:
                _refuse(change, limit, now)
            for limit in limits:
                change.write(_COUNT, (limit.subject, now // SLOT))

    def forgive(self, subject: str) -> None:
        """Forget the attempts on a subject: the last one has succeeded."""
        self._database.write("DELETE FROM attempts WHERE subject = ?", (subject,))

    def forget_old(self) -> None:
        """Remove what no limit looks at any more."""
        self._database.write("DELETE FROM attempts WHERE slot < ?", ((int(self._clock()) - LONGEST) // SLOT,))


_COUNT = """
    INSERT INTO attempts (subject, slot, count) VALUES (?, ?, 1)
    ON CONFLICT (subject, slot) DO UPDATE SET count = attempts.count + 1
"""


def block(address: str) -> str:
    """Return the block of addresses that this one is in, which the same person may choose from."""
    try:
        found = ip_address(address.partition("%")[0])  # without the network card's name
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return str(ip_network((found, _BLOCKS[found.version]), strict=False))


def _refuse(change: Transaction, limit: Limit, now: int) -> None:
    first = (now - limit.seconds) // SLOT + 1
    sql = "SELECT slot, count FROM attempts WHERE subject = ? AND slot >= ? ORDER BY slot"
    rows = change.read(sql, (limit.subject, first))
    if sum(int(count or 0) for _, count in rows) < limit.most:
        return
    wait = (int(rows[0][0] or 0) + 1) * SLOT + limit.seconds - now
    raise TooManyAttempts(max(1, min(wait, limit.seconds)))
