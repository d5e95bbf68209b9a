"""Have the databases of an account obey a suspension, from the command line: the service may run or not."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from msgspec import Struct

from server.control.plans import PLANS
from server.control.sealing import open_keyring
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.apply import Applier
from server.hosting.hosted import Hosted, disobedient
from server.postgres.errors import EngineUnavailable
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.service_locks import is_used
from server.postgres.server import DatabaseServer
from server.postgres.tenants.inventory import Present
from server.postgres.tenants.provisioning import Provisioner
from server.service.postgres_server import FOLDER, reached

PATIENCE = 90.0
"""Seconds; a service that leads needs less than one, and some seventy where it may not end by force yet."""
_PAUSE = 0.02
SERVICE, RESTART = 2.0, 10.0
"""Seconds in which a service that leads has done it, and one that has to start its server first."""
AGAIN, TELL = 0.3, 5.0
"""Seconds between two looks at the server, and until it is told again what is waited for."""


class Outcome(Struct, frozen=True):
    """The state of the databases: they obey, will when their server is started, or have not in a long wait.

    Of those that have not, `left` are the sessions that go on, and `closed` says that nobody can log in any
    more all the same. `forces` is whether a service runs that ends such sessions by force.
    """

    state: Literal["obeyed", "stopped", "slow"]
    left: Sequence[Present] = ()
    closed: bool = False
    forces: bool = False


Tell = Callable[[Sequence[Present], float], object]
"""Is told which sessions are waited for, which may be none, and for how many seconds it has been waited."""


def obey(data: Path, control: ControlDatabase, account: str, dsn: str, tell: Tell) -> Outcome:
    """Wait until they do. Where no service leads, the work is done here. Raises TwinpressError."""
    # A service that leads needs less than a second. Only where nothing moves is the server itself asked for.
    if not _wait(control, account, _nothing, SERVICE):
        return Outcome("obeyed")
    with closing(_Help(data, control, account, dsn, tell)) as help:
        if not _wait(control, account, help.step, PATIENCE):
            return Outcome("obeyed")
        return help.outcome()


class _Help:
    """Does the work unless a service leads, and tells what is waited for."""

    def __init__(self, data: Path, control: ControlDatabase, account: str, dsn: str, tell: Tell) -> None:
        self._data, self._control, self._account, self._dsn = data, control, account, dsn
        self._tell = tell
        self._reached: _Reached | None = None
        self._seen = self._told = time.monotonic()
        self._began = self._seen - SERVICE
        self._next = 0.0

    def close(self) -> None:
        """Leave the server, and the lead."""
        if self._reached is not None:
            self._reached.close()
        self._reached = None

    def step(self) -> bool:
        """Do what can be done now; False when the server does not run, and nobody is about to start it."""
        if time.monotonic() < self._next:
            return True
        try:
            return self._step()
        except EngineUnavailable:
            # It has gone away, or sessions go on: the next step finds out which of them it is.
            self.close()
            return self._may_come()
        finally:
            self._next = time.monotonic() + AGAIN

    def outcome(self) -> Outcome:
        """Return the state at the end of the wait."""
        try:
            reached = self._reach()
            if reached is None:
                return Outcome("stopped")
            return Outcome("slow", reached.left(), reached.is_closed(), self._is_served() and not self._dsn)
        except EngineUnavailable:
            return Outcome("stopped")

    def _step(self) -> bool:
        reached = self._reach()
        if reached is None:
            return self._may_come()
        self._seen = now = time.monotonic()
        if now > self._told + TELL:
            self._told = now
            self._tell(reached.left(), now - self._began)
        reached.help()
        return True

    def _reach(self) -> _Reached | None:
        """The server; None where our own does not answer, which is as good as stopped."""
        if self._reached is None:
            try:
                server = reached(self._data, self._control, self._dsn)
            except EngineUnavailable:
                if self._dsn:
                    raise
                return None
            if server is not None:
                self._reached = _Reached(self._data, self._control, self._account, server)
        return self._reached

    def _may_come(self) -> bool:
        return bool(self._dsn) or (self._is_served() and time.monotonic() - self._seen < RESTART)

    def _is_served(self) -> bool:
        return is_used(ServerFiles((self._data / FOLDER).resolve()))


class _Reached:
    """The server that is there, and what this program may do on it."""

    def __init__(self, data: Path, control: ControlDatabase, account: str, server: DatabaseServer) -> None:
        self._control, self._account = control, account
        self._provisioner = Provisioner(server)
        keyring = open_keyring(control, data)
        self._applier = Applier(control, keyring, self._provisioner, PLANS, time.time)

    def close(self) -> None:
        """Leave the lead, and the server."""
        self._provisioner.leadership.resign()
        self._provisioner.close()

    def help(self) -> None:
        """Do the work, unless a service leads."""
        leadership = self._provisioner.leadership
        if not leadership.leads():
            if not leadership.try_lead():
                return
            self._provisioner.fence()
        self._applier.lock_and_unlock(self._mine())

    def left(self) -> Sequence[Present]:
        """The sessions in those of its databases that nobody may be in."""
        names = [row.id for row in self._mine() if row.is_locked]
        return self._provisioner.sessions(names)

    def is_closed(self) -> bool:
        """Return whether nobody can log in to any of them that is locked."""
        found = self._provisioner.found()
        mine = [found[row.id] for row in self._mine() if row.is_locked and row.id in found]
        return all(not each.login or each.database_limit == 0 for each in mine)

    def _mine(self) -> list[Hosted]:
        return [row for row in hosted.every(self._control) if row.account == self._account]


def _wait(control: ControlDatabase, account: str, help: Callable[[], bool], patience: float) -> int:
    """Wait for it; gives how many do not obey when the patience is at its end.

    `help` is called again and again meanwhile: it may do the work where no service runs, and says whether to
    wait is of use.
    """
    end = time.monotonic() + patience
    while (left := disobedient(control, account)) and time.monotonic() < end:
        if not help():
            return disobedient(control, account)
        time.sleep(_PAUSE)
    return left


def _nothing() -> bool:
    """It is the service that does the work."""
    return True
