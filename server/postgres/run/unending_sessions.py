"""Find sessions that go on computing after they were asked to end, and end them by force.

Who sleeps is none of them: it waits for a slow disk with its COMMIT, for its client, or is stopped, and hears
that it shall end as soon as it wakes up. Who has computed at each of the last looks, waiting for nothing,
hears nothing.

To end them their processes are killed, and with them ends the whole server: PostgreSQL gives itself up when
one of its processes is killed, as that may have left the common memory in disorder. It reads its journal at
the next start, and has all that was committed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from server.postgres.run.processes import Stat, running, stat
from server.postgres.run.server_files import ServerFiles
from server.postgres.tenants.ending_sessions import EndingSession, Session

GRACE = 10.0
"""Seconds that a session gets, once it was asked, before anything else is done."""
LOOKS = 3
"""Looks in a row, a second apart, between which it must have computed."""

MOMENT = 2.0
"""Seconds for which those whose time is over wait for others, to be ended with them."""


class Computing(Struct, frozen=True):
    """A session that hears nothing, and its process as the kernel knows it."""

    asked: EndingSession
    began: int


class Stubborn:
    """Remembers what was seen at the last looks. `look_at` gives what the kernel says of a process."""

    def __init__(self, grace: float = GRACE, look_at: Callable[[int], Stat | None] = stat) -> None:
        self._grace, self._look_at = grace, look_at
        self._seen: dict[Session, tuple[Stat, int]] = {}

    def look(self, left: Sequence[EndingSession]) -> list[Computing]:
        """Those of them whose grace is over, and who still compute. To be called every second."""
        seen: dict[Session, tuple[Stat, int]] = {}
        for each in left:
            now = self._look_at(each.session.process)
            if now is not None:
                seen[each.session] = now, self._times(each, now)
        self._seen = seen
        return [
            Computing(each, seen[each.session][0].began)
            for each in left
            if each.seconds >= self._grace and each.session in seen and seen[each.session][1] >= LOOKS
        ]

    def are_coming(self, left: Sequence[EndingSession]) -> bool:
        """Return whether others, seen at the last look, compute too, and will be among those in a moment."""
        times = {each: self._seen.get(each.session, (None, 0))[1] for each in left}
        late = [each for each in left if each.seconds >= self._grace - MOMENT and times[each] > 0]
        return any(each.seconds < self._grace or times[each] < LOOKS for each in late)

    def _times(self, asked: EndingSession, now: Stat) -> int:
        """Between how many looks in a row it has computed, this one being the last."""
        before, times = self._seen.get(asked.session, (now, 0))
        computes = before.began == now.began and now.computed > before.computed and not asked.waits
        return times + 1 if computes else 0


def kill(place: ServerFiles, sessions: Iterable[Computing]) -> list[Computing]:
    """Kill the processes of these sessions that are still what they were, and give those.

    The caller has found them on the server of this place in the same moment, and keeps everybody else from
    starting one. Each process is looked at once more right before: it must be the server's child, and
    the one that was seen, as another may have got its number.
    """
    server = running(place)
    if server is None:
        return []
    return [each for each in sessions if _killed(each, server.pid)]


def _killed(session: Computing, server: int) -> bool:
    pid = session.asked.session.process
    now = stat(pid)
    if now is None or (now.parent, now.began) != (server, session.began):
        return False
    with suppress(ProcessLookupError):
        # The server's user is ours, or we are root: so this is always allowed.
        os.kill(pid, signal.SIGKILL)
        return True
    return False
