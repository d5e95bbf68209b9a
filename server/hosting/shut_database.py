"""Shut a database for a time: nobody logs in, and each time that it gives cause again for twice as long.

The causes: it has grown far beyond its storage, a session of it could only be ended by force, or it fills
what all databases share.
"""

from __future__ import annotations

from collections.abc import Iterable

from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.hosted import Hosted

SHUT, LONGEST = 60, 24 * 3600
"""Seconds for which one is shut the first time, and at most."""
FORGOTTEN = 7 * 24 * 3600
"""Seconds after which it is forgotten that sessions gave cause."""


def seconds(before: int) -> int:
    """For how long, when it was shut so often before."""
    return int(min(SHUT * 2 ** min(before, 20), LONGEST))


def is_over(row: Hosted, now: int) -> bool:
    """Return whether the time of one that is shut is over.

    A clock that was set back keeps nobody out for longer.
    """
    return row.shut_until is not None and not now < row.shut_until <= now + LONGEST


def earlier(control: ControlDatabase, found: Iterable[Hosted], now: int) -> dict[str, int]:
    """Count how often each account with one of these gave cause by its sessions before.

    It is one number for all databases of an account: with fifty of them, each could give it in turn. Those
    that are found together count once.
    """
    return {row.account: forced(hosted.all_of(control, row.account), now) for row in found}


def forced(of_account: Iterable[Hosted], now: int) -> int:
    """Count how often an account with these databases gave cause, as far as that is remembered."""
    remembered = (
        row for row in of_account if row.forced_at is not None and abs(now - row.forced_at) < FORGOTTEN
    )
    return max((row.forced for row in remembered), default=0)
