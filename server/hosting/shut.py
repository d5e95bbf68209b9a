"""Shut a database for a time: nobody logs in, and each time that it gives cause again for twice as long.

The causes: it has grown far beyond its storage, or a session of it could only be ended by force.
"""

from __future__ import annotations

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


def forced(row: Hosted, now: int) -> int:
    """How often sessions of it had to be ended by force, as far as that is remembered."""
    remembered = row.forced_at is not None and abs(now - row.forced_at) < FORGOTTEN
    return row.forced if remembered else 0
