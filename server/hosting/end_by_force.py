"""End sessions by force that were asked to end, and go on.

PostgreSQL has computations that hear nothing, and may never be over. On our own server they are ended by
force: it is started again, and all other sessions end too. So that happens once a minute at most, and the
minutes in between belong to accounts that are suspended: for all others, two must have gone by. Meanwhile,
and for a while afterwards, nobody logs in to the databases of such sessions. On a server of somebody else's
nothing is ended by force; its operator is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import keep, known
from server.hosting import hosted, shut_database
from server.hosting.enforce_session_limits import spared
from server.hosting.hosted import Hosted
from server.hosting.log_once import LogOnce
from server.postgres.run.unending_sessions import GRACE, Computing, Stubborn
from server.postgres.tenants.ending_sessions import (
    EARLIER,
    HOLDS_UP,
    IN_THE_WAY,
    LOCKED,
    EndingSession,
    Look,
    Session,
)
from server.postgres.tenants.provisioning import Provisioner

End = Callable[[Callable[[], Sequence[Computing]]], Sequence[Computing]]
"""Ends by force, and gives, the sessions that the function in it still finds."""

PAUSE, OF_OTHERS = 60, 120
"""Seconds between two restarts: for a session of an account that is suspended, and for others alone."""
MOST = 2
"""Looks for which those whose time is over wait for others: one restart is to end all of them."""
_LAST = "forced"
_QUIET = frozenset((LOCKED, IN_THE_WAY, EARLIER))
"""Of these there may be hundreds at once, that end at once: only those that took long are told."""
_LOG = logging.getLogger("twinpress.hosting")


class EndByForce:
    """Looks after those that were asked to end; `end` is None on a server of somebody else's.

    `grace` is as GRACE. Whatever is remembered is this process's own: the next leader asks anew.
    """

    def __init__(
        self,
        control: ControlDatabase,
        provisioner: Provisioner,
        clock: Callable[[], float],
        end: End | None = None,
        grace: float = GRACE,
    ) -> None:
        self._control = control
        self._provisioner = provisioner
        self._clock = clock
        self._end = end
        self._grace = grace
        self._stubborn = Stubborn(grace)
        self._counted: set[Session] = set()
        self._due = 0
        self._complaints = LogOnce()
        self._complained: set[str] = set()

    def run(self) -> None:
        """Look once. To be called every second. Raises EngineError and DatabaseError."""
        left = self._look().left
        self._ask_more(left)
        late = [each for each in left if each.seconds >= self._grace]
        computing = [] if self._end is None else self._stubborn.look(left)
        self._tell(late)
        self._counted &= {each.session for each in left}
        self._due = self._due + 1 if computing else 0
        if self._end is not None and computing and (self._due > MOST or not self._stubborn.are_coming(left)):
            self._act(self._end, computing)

    def _ask_more(self, left: Sequence[EndingSession]) -> None:
        """Ask the other sessions of an account too, of which one, found by chance, hears nothing."""
        found = {each.session.name for each in left if each.why == HOLDS_UP and each.seconds < self._grace}
        if found:
            every = hosted.every(self._control)
            accounts = {row.account for row in every if row.id in found}
            spare = spared(self._control, self._clock())
            names = [row.id for row in every if row.account in accounts and row.id not in spare]
            self._provisioner.ask_who_is_alike(names)

    def _act(self, end: End, computing: Sequence[Computing]) -> None:
        found = self._shut(computing)
        if not self._may(found):
            return
        killed = end(lambda: self._still(computing))
        if killed:
            named = _named(each.asked for each in killed)
            _LOG.warning("ended by force, by starting PostgreSQL again: %s", named)

    def _still(self, computing: Sequence[Computing]) -> Sequence[Computing]:
        """Those that compute in this moment, while this service leads; a restart is noted, if any is."""
        left = {each.session for each in self._look().left if not each.waits}
        still = [each for each in computing if each.asked.session in left]
        if not still or not self._provisioner.may_change():
            return []
        keep(self._control, _LAST, str(int(self._clock())))
        return still

    def _look(self) -> Look:
        """Look at the server, and tell who has ended."""
        look = self._provisioner.asked()
        for each in look.ended:
            if each.why not in _QUIET or each.seconds >= self._grace:
                said = "the session of %s (process %d) has ended, %.1f s after it was asked to"
                _LOG.info(said, each.session.name, each.session.process, each.seconds)
        return look

    def _may(self, found: Iterable[Hosted]) -> bool:
        """Return whether the server may be started again now, for sessions of these databases."""
        last, now = known(self._control, _LAST), self._clock()
        gone = now - float(last) if last else OF_OTHERS
        pause = PAUSE if any(row.suspended for row in found) else OF_OTHERS
        return not 0 <= gone < pause  # a clock that was set back keeps nobody waiting

    def _shut(self, computing: Sequence[Computing]) -> list[Hosted]:
        """Let nobody log in any more to their databases; gives these."""
        names = sorted({each.asked.session.name for each in computing})
        found = [row for name in names if (row := hosted.one(self._control, name)) is not None]
        now = int(self._clock())
        before = shut_database.earlier(self._control, found, now)
        for row in found:
            mine = {each.asked.session for each in computing if each.asked.session.name == row.id}
            if row.is_in_use:
                self._shut_one(row, before[row.account], now, is_new=mine.isdisjoint(self._counted))
            self._counted |= mine
        return found

    def _shut_one(self, row: Hosted, before: int, now: int, *, is_new: bool) -> None:
        times = before + (1 if is_new else 0)
        seconds = shut_database.seconds(max(times - 1, 0))
        # The time begins anew while they go on, but is not written at each look.
        if is_new or row.shut_until is None or row.shut_until < now + seconds / 2:
            hosted.note_forced(self._control, row, times, now, now + seconds)
        if is_new:
            _LOG.warning("the database %s is shut for %d s: a session of it hears nothing", row.id, seconds)

    def _tell(self, late: Sequence[EndingSession]) -> None:
        """Tell of those that are still there, and of each database once in a while."""
        by_name: dict[str, list[EndingSession]] = {}
        for each in late:
            by_name.setdefault(each.session.name, []).append(each)
        for name, left in by_name.items():
            self._complaints.make(name, f"{_named(left)}; {self._what_follows(left)}")
        for name in self._complained - by_name.keys():
            self._complaints.withdraw(name)
        self._complained = set(by_name)

    def _what_follows(self, left: Sequence[EndingSession]) -> str:
        if self._end is None:
            processes = " ".join(str(each.session.process) for each in left)
            return (
                "Twinpress ends nothing by force on an external server: "
                f"on its machine, `kill -KILL {processes}` does it, and ends all other sessions too"
            )
        return (
            "a session that computes on is ended by force: PostgreSQL restarts at most once a minute for "
            "suspended accounts, once in two minutes for others; one that sleeps ends when it wakes up"
        )


def _named(asked: Iterable[EndingSession]) -> str:
    """For people: which sessions, why and since when."""
    by_name: dict[tuple[str, str], list[EndingSession]] = {}
    for each in asked:
        by_name.setdefault((each.session.name, each.why), []).append(each)
    return "; ".join(_described(name, why, found) for (name, why), found in by_name.items())


def _described(name: str, why: str, found: Sequence[EndingSession]) -> str:
    processes = ", ".join(str(each.session.process) for each in found)
    word = "process" if len(found) == 1 else "processes"
    seconds = max(each.seconds for each in found)
    waits = sorted({each.waits for each in found if each.waits})
    waiting = f", waits for {', '.join(waits)}" if waits else ""
    return f"{name}, {word} {processes}: asked to end {seconds:.0f} s ago ({why}){waiting}"
