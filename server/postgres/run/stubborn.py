"""Find sessions that go on computing after they were asked to end.

Who sleeps is none of them: it waits for a slow disk with its COMMIT, for its client, or is stopped, and hears
that it shall end as soon as it wakes up. Who has computed at each of the last looks, waiting for nothing,
hears nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from server.postgres.run.stat import Stat, stat
from server.postgres.tenants.endings import EndingSession, Session

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
        """Whether others, seen at the last look, compute too, and will be among those in a moment."""
        times = {each: self._seen.get(each.session, (None, 0))[1] for each in left}
        late = [each for each in left if each.seconds >= self._grace - MOMENT and times[each] > 0]
        return any(each.seconds < self._grace or times[each] < LOOKS for each in late)

    def _times(self, asked: EndingSession, now: Stat) -> int:
        """Between how many looks in a row it has computed, this one being the last."""
        before, times = self._seen.get(asked.session, (now, 0))
        computes = before.began == now.began and now.computed > before.computed and not asked.waits
        return times + 1 if computes else 0
