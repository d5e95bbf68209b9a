"""The leading service process: it alone tells the server anything.

Who leads holds a lock on the server itself. A new leader first ends what its predecessor may have left
running there, then settles everything, and only then are tenants let in.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

from builder.errors import TwinpressError
from server.control.errors import DatabaseError
from server.hosting import hosted
from server.hosting.apply import Applier
from server.hosting.hosted import Hosted
from server.hosting.log_once import LogOnce
from server.hosting.threads import all_ended, threads_of
from server.postgres.errors import EngineError, SessionsLeft
from server.process.faults import describe

LOOK = 0.05
"""Seconds between two looks at what other processes have written: a suspension waits no longer."""
AGAIN = 0.3
"""Seconds between two attempts to lead, or to reach the server."""
PAUSE = 1.0
"""Seconds after which what has failed is tried again; what the server refuses waits longer."""
WELL = 3.0
"""Seconds after which a leader that has not looked again is held up."""
GOODBYE = 10.0
"""Seconds that what is under way gets to come to an end."""
WORKERS = 4
REQUESTS = 32
"""Requests at a time that a database is settled for; their threads are apart from those of the background."""
_STEP = "looking after databases"

_LOG = logging.getLogger("twinpress.hosting")


class Leader:
    """A thread that takes the lead when it is free, and settles what is unsettled while it has it.

    `let_in` is called when everything is settled for the first time: it lets tenants in, and says whether it
    has. Until it has, it is called at each look.
    """

    def __init__(self, applier: Applier, let_in: Callable[[], bool]) -> None:
        self._applier = applier
        self._let_in = let_in
        self._leadership = applier.provisioner.leadership
        self._ended = Event()
        self._leads = Event()
        self._follows = Event()
        self._workers = ThreadPoolExecutor(WORKERS, "twinpress-settle")
        self._thread = Thread(target=self._run, name="twinpress-leader", daemon=True)
        self._lockers = ThreadPoolExecutor(WORKERS, "twinpress-lock")
        self._guard = Lock()
        self._for_requests = ThreadPoolExecutor(REQUESTS, "twinpress-requested")
        self._requested: dict[str, Future[None]] = {}
        self._queued: set[str] = set()
        self._paused: dict[str, float] = {}
        self._resisting: set[str] = set()
        """Accounts whose databases nobody logs in to any more, and whose sessions go on."""
        self._looked = 0.0
        self._complaints = LogOnce()
        self._shut = False

    def start(self) -> None:
        """Begin to ask for the lead."""
        self._thread.start()

    def close(self) -> None:
        """End what is under way, and give the lead to another process.

        What waits for a server that stands still is left behind: the lead ends with this process then.
        """
        self._leads.clear()
        pools = (self._workers, self._lockers, self._for_requests)
        with self._guard:
            self._ended.set()
            for pool in pools:
                pool.shutdown(wait=False, cancel_futures=True)
        if all_ended([self._thread, *(thread for pool in pools for thread in threads_of(pool))], GOODBYE):
            self._leadership.resign()

    def leads(self) -> bool:
        """Return whether this process leads, and has settled what it found."""
        return self._leads.is_set() and self._leadership.leads()

    def follows(self) -> bool:
        """Return whether another process led at the last look, which is less than a second ago."""
        return self._follows.is_set()

    def is_well(self) -> bool:
        """Return whether this process led or followed at a look that is not long ago; asks nobody."""
        seen = time.monotonic() - self._looked < WELL
        return seen and (self._leads.is_set() or self._follows.is_set())

    def settle(self, id: str, seconds: float) -> None:
        """Settle one database that a request waits for, which waits so many seconds at most.

        All requests for one wait for the same work. Returns also when the time is over, or this process is
        ending. Raises what hindered it: EngineError, DatabaseError and SecretError.
        """
        with self._guard:
            if self._ended.is_set():
                return
            work = self._requested.get(id)
            if work is None:
                work = self._for_requests.submit(self._applier.apply, id, seconds)
                self._requested[id] = work
                work.add_done_callback(lambda _: self._requested.pop(id, None))
        with suppress(TimeoutError, CancelledError):
            work.result(seconds)

    def settle_now(self) -> None:
        """Settle what tenants could notice, and wait for it; what is to be made or removed can come later.

        One that resists is no reason to keep all others waiting. Raises EngineUnavailable, and DatabaseError.
        """
        found = self._unsettled()
        list(self._lockers.map(self._obey_suspension, _by_account(found).items()))
        # Whose sessions go on, and who is locked all the same, is not waited for once more.
        left = [
            row for row in self._unsettled() if not (_is_only_late(row) and row.account in self._resisting)
        ]
        list(self._workers.map(self._apply, [row.id for row in left if row.is_in_use]))

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._step()
                self._complaints.withdraw(_STEP)
            except (EngineError, DatabaseError) as error:
                self._failed(str(error))
            except Exception as error:  # noqa: BLE001 - the last resort: it is told, and work goes on
                self._failed(f"Twinpress failed to look after databases: {describe(error)}")

    def _step(self) -> None:
        if not self._leadership.leads():
            self._leads.clear()
            if not self._leadership.try_lead():
                self._follows.set()
                self._looked = time.monotonic()
                self._ended.wait(AGAIN)
                return
            self._follows.clear()
        if not self._leads.is_set():
            self._begin()
        elif self._shut:
            self._shut = not self._let_in()
        self._look()
        self._looked = time.monotonic()
        self._ended.wait(LOOK)

    def _begin(self) -> None:
        started = time.monotonic()
        self._applier.provisioner.fence()
        self._applier.provisioner.prepare()
        self.settle_now()
        self._shut = not self._let_in()
        self._leads.set()
        _LOG.info("PostgreSQL is ready, after %.2f s", time.monotonic() - started)

    def _look(self) -> None:
        found = self._unsettled()
        for account, late in _by_account(found).items():
            if self._is_new(account):
                self._lockers.submit(self._obey_suspension, (account, late))
        for row in found:
            if not _is_only_late(row) and self._is_new(row.id):
                self._workers.submit(self._apply, row.id)

    def _is_new(self, id: str) -> bool:
        """Return whether nobody works on it yet; somebody does from now on."""
        if id in self._requested or id in self._queued or time.monotonic() < self._paused.get(id, 0.0):
            return False
        self._queued.add(id)
        return True

    def _unsettled(self) -> list[Hosted]:
        applier = self._applier
        return hosted.unsettled(applier.control, applier.connections, int(applier.clock()))

    def _obey_suspension(self, given: tuple[str, list[Hosted]]) -> None:
        """Lock or unlock what an account has: all of it at once, and apart from all other accounts."""
        account, late = given
        with self._attempt(account):
            self._applier.lock_and_unlock(late)

    def _apply(self, id: str) -> None:
        with self._attempt(id):
            self._applier.apply(id)

    @contextmanager
    def _attempt(self, id: str) -> Iterator[None]:
        """Do the block once for a database or an account; a failure is told, and a pause follows it."""
        try:
            yield
            self._paused.pop(id, None)
            self._resisting.discard(id)
        except TwinpressError as error:
            self._paused[id] = time.monotonic() + PAUSE
            if isinstance(error, SessionsLeft):
                self._resisting.add(id)
            _LOG.info("%s: %s", id, error)
        except Exception as error:  # noqa: BLE001 - the last resort: it is told, and tried again
            self._paused[id] = time.monotonic() + PAUSE
            _LOG.error("Twinpress failed to settle %s: %s", id, describe(error))
        finally:
            self._queued.discard(id)

    def _failed(self, said: str) -> None:
        self._follows.clear()
        self._complaints.make(_STEP, said)
        self._ended.wait(AGAIN)


def _is_only_late(row: Hosted) -> bool:
    """Return whether the server has all that is wanted, but for a suspension or the end of it."""
    return row.is_there and row.applied == row.generation and row.is_late


def _by_account(found: Iterable[Hosted]) -> dict[str, list[Hosted]]:
    """Those that have yet to obey a suspension, or its end."""
    late: dict[str, list[Hosted]] = {}
    for row in found:
        if row.is_there and row.is_late:
            late.setdefault(row.account, []).append(row)
    return late
