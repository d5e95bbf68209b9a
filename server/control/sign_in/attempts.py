"""Count attempts, such as to guess a password, and refuse more: for all processes of a service together.

Guesses from everywhere are limited for each account. Who knows an address could use that limit up all the
time, and its owner would never get in: so blocks from which an account was signed in to before are known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from msgspec import Struct

from server.control.accounts.emails import folded
from server.control.errors import TooManyAttempts
from server.control.sqlite.database import ControlDatabase, Transaction

SLOT = 60
"""Seconds that are counted together."""
LONGEST = 3600
"""Seconds that the longest limit looks back."""
_BLOCKS = {4: 24, 6: 56}
"""Bits of an address that who changes it keeps: what providers give to one customer, or to few."""
KNOWN_FOR = 90 * 24 * 3600
"""Seconds that a block is known after the last sign-in from there."""


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


_NOTE = """
    INSERT INTO known_blocks (account, block, seen_at) VALUES (?, ?, ?)
    ON CONFLICT (account, block) DO UPDATE SET seen_at = excluded.seen_at
"""
_KNOWN = """
    SELECT 1 FROM known_blocks JOIN accounts ON accounts.id = known_blocks.account
    WHERE accounts.folded_email = ? AND known_blocks.block = ? AND known_blocks.seen_at > ?
"""


class KnownBlocks:
    """The blocks from which accounts were signed in to. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def note(self, account: str, address: str) -> None:
        """Remember that the account with this id was opened from this address."""
        self._database.write(_NOTE, (account, block(address), int(self._clock())))

    def has(self, email: str, address: str) -> bool:
        """Tell whether the account with this email address was opened from near this address before."""
        since = int(self._clock()) - KNOWN_FOR
        return bool(self._database.read(_KNOWN, (folded(email), block(address), since)))

    def forget_old(self) -> None:
        """Remove blocks from which nobody has come for long."""
        self._database.write("DELETE FROM known_blocks WHERE seen_at <= ?", (int(self._clock()) - KNOWN_FOR,))
