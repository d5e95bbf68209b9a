"""Shut a database for a time: nobody logs in, and each time that it gives cause again for twice as long.

The causes: it has grown far beyond its storage, or a session of it could only be ended by force.
"""

from __future__ import annotations

from collections.abc import Iterable

from server.hosting.records import Hosted

SHUT, LONGEST = 60, 24 * 3600
"""Seconds for which one is shut the first time, and at most."""
FORGOTTEN = 7 * 24 * 3600
"""Seconds after which it is forgotten that a session was ended by force."""


def seconds(before: int) -> int:
    """For how long, when it was shut so often before."""
    return int(min(SHUT * 2 ** min(before, 20), LONGEST))


def is_over(row: Hosted, now: int) -> bool:
    """Whether the time of one that is shut is over. A clock that was set back keeps nobody out for longer."""
    return row.shut_until is not None and not now < row.shut_until <= now + LONGEST


def forced(rows: Iterable[Hosted], now: int) -> int:
    """How often an account with these databases gave such a cause, as far as that is remembered.

    It is one number for all of them: whoever has fifty could give it with each in turn.
    """
    remembered = (row for row in rows if row.forced_at is not None and abs(now - row.forced_at) < FORGOTTEN)
    return max((row.forced for row in remembered), default=0)
