"""Blocks of addresses from which an account was signed in to before.

Guesses from everywhere are limited for each account. Without this, who knows an address could use the limit
up all the time, and its owner would never get in.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from server.control.accounts.emails import folded
from server.control.sign_in.attempts import block
from server.control.sqlite.database import ControlDatabase

LIFE = 90 * 24 * 3600
"""Seconds that a block is known after the last sign-in from there."""

_NOTE = """
    INSERT INTO known_blocks (account, block, seen_at) VALUES (?, ?, ?)
    ON CONFLICT (account, block) DO UPDATE SET seen_at = excluded.seen_at
"""
_KNOWN = """
    SELECT 1 FROM known_blocks JOIN accounts ON accounts.id = known_blocks.account
    WHERE accounts.folded_email = ? AND known_blocks.block = ? AND known_blocks.seen_at > ?
"""


class KnownBlocks:
    """The blocks in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def note(self, account: str, address: str) -> None:
        """Remember that the account with this id was opened from this address."""
        self._database.write(_NOTE, (account, block(address), int(self._clock())))

    def has(self, email: str, address: str) -> bool:
        """Tell whether the account with this email address was opened from near this address before."""
        since = int(self._clock()) - LIFE
        return bool(self._database.read(_KNOWN, (folded(email), block(address), since)))

    def forget_old(self) -> None:
        """Remove blocks from which nobody has come for long."""
        self._database.write("DELETE FROM known_blocks WHERE seen_at <= ?", (int(self._clock()) - LIFE,))
