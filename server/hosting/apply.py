"""Tell the server what a row wants, and note that it has obeyed.

Every step may be done again, so a process that is killed between two of them leaves nothing to be mended:
the row is unsettled still, and whoever leads next does them all. Two threads never tell the server about the
same database: a thread that has its turn may take it again, within the block.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Event, Lock, RLock

from msgspec import Struct, field

from builder.errors import TwinpressError
from server.control.plans import Plans, connections_of
from server.control.sealing import Keyring, password_of
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.hosted import Hosted
from server.postgres.errors import EngineError, EngineUnavailable
from server.postgres.scram import scram_verifier
from server.postgres.tenants.provisioning import Provisioner

_ENDLESS = -1.0


class RowLocks:
    """A lock for each id that is in use."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[RLock, int]] = {}

    @contextmanager
    def of(self, id: str) -> Iterator[None]:
        """Wait until nobody else is at this id."""
        with self.within(id, _ENDLESS):
            yield

    @contextmanager
    def within(self, id: str, seconds: float) -> Iterator[bool]:
        """Wait so many seconds for that, and give whether it is so: not longer than a client waits."""
        lock = self._join(id)
        try:
            mine = lock.acquire(timeout=seconds)
            try:
                yield mine
            finally:
                if mine:
                    lock.release()
        finally:
            self._leave(id)

    def _join(self, id: str) -> RLock:
        with self._guard:
            lock, users = self._locks.get(id, (RLock(), 0))
            self._locks[id] = lock, users + 1
            return lock

    def _leave(self, id: str) -> None:
        with self._guard:
            lock, users = self._locks.pop(id)
            if users > 1:
                self._locks[id] = lock, users - 1


FIRST_PAUSE = 1
"""Seconds after which an attempt that has failed is made again: doubled each time, up to the longest."""

_LOG = logging.getLogger("twinpress.hosting")


class Applier(Struct, frozen=True):
    """Makes the server obey. Only the one service process that leads may use it."""

    control: ControlDatabase
    keyring: Keyring
    provisioner: Provisioner
    plans: Plans
    clock: Callable[[], float]
    row_locks: RowLocks = field(default_factory=RowLocks)
    made: Event = field(default_factory=Event)
    """Set when a database was made since the last `flush`."""

    @property
    def connections(self) -> dict[str, int]:
        """The connection limit of each plan."""
        return connections_of(self.plans)

    def apply(self, id: str, patience: float = _ENDLESS) -> None:
        """Settle one database, unless it is settled, or somebody else is at it for so many seconds.

        Raises EngineUnavailable when the server cannot be reached; another error is noted in the row too.
        """
        with self.row_locks.within(id, patience) as mine:
            row = hosted.one(self.control, id) if mine else None
            if row is None or row.is_settled(self.plans) or (row.lost and row.wanted == "present"):
                return
            try:
                self._change_server(row)
            except EngineUnavailable:
                raise
            except TwinpressError as error:
                self._failed(row, error)
                raise

    def lock_and_unlock(self, found: Sequence[Hosted]) -> None:
        """Have the databases obey the suspension, or its end, of their accounts; all of them at a time.

        Raises EngineError.
        """
        late = sorted(row.id for row in found if row.is_there and row.is_late)
        if not late:
            return
        with ExitStack() as turns:
            # In one order, and none of those that are being dropped: that takes long, and locks them first.
            for id in late:
                row = hosted.one(self.control, id)
                if row is not None and row.wanted == "present":
                    turns.enter_context(self.row_locks.of(id))
            now = [row for id in late if (row := hosted.one(self.control, id)) is not None]
            self._change_locks(now)

    def _change_locks(self, late: Sequence[Hosted]) -> None:
        going = [row.id for row in late if row.is_locked]
        coming = {row.id: self._most(row) for row in late if not row.is_locked and row.wanted == "present"}
        if going:
            self.provisioner.lock(going)
        if coming:
            self.provisioner.unlock(coming)
        hosted.note_obeyed(self.control, late, self.connections, int(self.clock()))

    def flush(self) -> None:
        """Have the server write out new databases, in whose hundreds of files a crash would cost seconds.

        Raises EngineError.
        """
        if self.made.is_set():
            self.made.clear()
            try:
                self.provisioner.flush()
            except EngineError:
                self.made.set()
                raise

    def _change_server(self, row: Hosted) -> None:
        if row.wanted == "absent":
            self.provisioner.drop(row.id)
            hosted.note_gone(self.control, row)
            return
        password = self._give_password(row)
        self._set_access(row)
        with self.control.change() as change:
            # Sealed anew: the master key that had sealed it may be gone by now.
            sealed = None if password is None else self.keyring.seal(password, password_of(row.id))
            hosted.note_applied(change, row, sealed, self._most(row), int(self.clock()))

    def _give_password(self, row: Hosted) -> str | None:
        """Tell the server the next password, if there is one; what is not there is made with it."""
        if row.next_password is None:
            return None
        password = self.keyring.open(row.next_password, password_of(row.id))
        verifier = scram_verifier(password)
        if row.is_there:
            self.provisioner.set_password(row.id, verifier, end_sessions=row.end_sessions)
        else:
            self.provisioner.create(row.id, verifier, self._most(row), login=not row.is_locked)
            if row.made_from > 1:  # its role may be left of the one that was lost, and read-only
                self.provisioner.set_full(row.id, False)
            self.made.set()
        return password

    def _set_access(self, row: Hosted) -> None:
        """Lock or unlock it, or set its limit of connections, where the server has yet to obey."""
        if row.is_locked:
            if row.is_late or not row.is_there:
                self.provisioner.lock([row.id])
        elif row.is_there and row.is_late:
            self.provisioner.unlock({row.id: self._most(row)})
        elif row.is_there and row.connection_limit != self._most(row):
            self.provisioner.set_connections(row.id, self._most(row))

    def _most(self, row: Hosted) -> int:
        return row.limits(self.plans).connections

    def _failed(self, row: Hosted, error: TwinpressError) -> None:
        pause = min(FIRST_PAUSE * 2 ** min(row.attempts, 10), hosted.LONGEST_PAUSE)
        said = error.message if isinstance(error, EngineError) else f"{error.message} ({error.hint})"
        hosted.note_failed(self.control, row, said, int(self.clock()) + pause)
        _LOG.warning("the database %s is tried again in %d s: %s", row.id, pause, said)
