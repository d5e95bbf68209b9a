"""Neighbours of an account whose sessions never end: the time that each of their changes takes."""

from __future__ import annotations

import http.client
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg

from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.keys.management_keys import ManagementKeys
from server.control.plans import PLANS, PlanName
from server.control.sealing import Keyring, open_keyring
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.hosted import disobedient
from server.hosting.idempotency import Ask
from server.hosting.intents import Intents
from server.postgres.run.processes import stat
from tests.server.control.people import accounts
from tests.server.hosting.unending import UNENDING
from tests.server.service.process import Host
from tests.waiting import until

BASE = "/api/v1/db/databases"
QUIET, AFTER = 5.0, 10.0
"""Seconds of the neighbours' work before the attack, before it is met, and after it is over."""
PATIENCE = 120.0
TICKS = 5
_PAUSE = 0.2
LATER = {(409, "DATABASE_BUSY"), (503, "ENGINE_UNAVAILABLE"), (503, "TOO_BUSY")}
"""Answers that say that the same request may do later."""


@dataclass(slots=True)
class Owner:
    """An account with a key, whose requests are repeated while the service says that it cannot now."""

    host: Host
    account: Account
    key: str

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The data of the answer."""

        def answered() -> dict[str, Any] | None:
            with suppress(OSError, http.client.HTTPException):
                status, envelope = self.host.ask(method, path, self.key, body)
                if status < 300:
                    return envelope
                assert (status, envelope["code"]) in LATER, envelope
            return None

        return dict(until(answered, PATIENCE, pause=0.1)["data"])


def owner(host: Host, database: ControlDatabase, email: str, plan: PlanName) -> Owner:
    """A new account."""
    account = accounts(database).create(email, f"{email}, a long password", plan)
    return Owner(host, account, ManagementKeys(database).create(account.id).text)


@dataclass(slots=True)
class Neighbours:
    """Accounts that go on with their work: creating, rotating, suspending and dropping, all the time.

    `seconds` is how long each change took: `create` and `rotate` until the answer, `suspend` until the server
    obeys, `drop` until the server has it no more, and `delete` until the request is written down.
    """

    host: Host
    database: ControlDatabase
    keyring: Keyring
    seconds: dict[str, list[float]] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)

    @contextmanager
    def working(self) -> Iterator[None]:
        """They work for the time of the block; what is begun then is brought to its end."""
        over = threading.Event()
        creating, rotating, going = (self._owner(n) for n in range(3))
        rotated = rotating.ask("POST", BASE, {})["id"]
        ready = [self._suspended(n) for n in range(3, 5)]
        work: Sequence[Callable[[], None]] = (
            lambda: self._create_and_drop(creating),
            lambda: self._create_and_drop(going),
            lambda: self._timed("rotate", lambda: rotating.ask("POST", f"{BASE}/{rotated}/rotate", {})),
            lambda: self._suspend(ready[0]),
            lambda: self._suspend(ready[1]),
        )
        threads = [threading.Thread(target=self._loop, args=[each, over], daemon=True) for each in work]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join(PATIENCE)
        assert not self.failures, self.failures

    def _loop(self, work: Callable[[], None], over: threading.Event) -> None:
        try:
            while not over.wait(_PAUSE):
                work()
        except BaseException as error:
            self.failures.append(error)
            raise

    def _owner(self, number: int) -> Owner:
        return owner(self.host, self.database, f"neighbour{number}@example.org", "premium")

    def _suspended(self, number: int) -> Owner:
        made = self._owner(number)
        made.ask("POST", BASE, {})
        return made

    def _create_and_drop(self, owner: Owner) -> None:
        made = self._timed("create", lambda: owner.ask("POST", BASE, {}))
        intents = Intents(self.database, self.keyring, PLANS, time.time)
        began = time.monotonic()
        self._timed("delete", lambda: intents.delete(Ask(owner.account.id, "a-key"), made["id"]))
        until(lambda: hosted.one(self.database, made["id"]) is None, PATIENCE)
        self._note("drop", began)

    def _suspend(self, owner: Owner) -> None:
        accounts = Accounts(self.database)
        for change in (accounts.suspend, accounts.clear):
            began = time.monotonic()
            change(owner.account.id)
            until(lambda: not disobedient(self.database, owner.account.id), PATIENCE)
            self._note("suspend", began)

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        began = time.monotonic()
        made = work()
        self._note(what, began)
        return made

    def _note(self, what: str, began: float) -> None:
        self.seconds.setdefault(what, []).append(time.monotonic() - began)


def late(seconds: Sequence[float]) -> float:
    """The 95th of 100."""
    return sorted(seconds)[int(len(seconds) * 0.95)]


@contextmanager
def unending(uris: Sequence[str], count: int) -> Iterator[list[int]]:
    """So many sessions that never end, over these databases; gives their processes when all are at it."""
    sessions = [psycopg.connect(uris[n % len(uris)], autocommit=True) for n in range(count)]
    processes = [each.info.backend_pid for each in sessions]
    before = {each: _computed(each) for each in processes}

    def run(session: psycopg.Connection[Any]) -> None:
        with suppress(psycopg.Error), session:
            session.execute(UNENDING)

    threads = [threading.Thread(target=run, args=[each], daemon=True) for each in sessions]
    for thread in threads:
        thread.start()
    # What comes before takes a tick at most, and could be interrupted.
    until(lambda: all(_computed(each) >= before[each] + TICKS for each in processes), PATIENCE)
    yield processes
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def _computed(process: int) -> int:
    now = stat(process)
    assert now, "it is there"
    return now.computed


def alive(processes: Sequence[int]) -> list[int]:
    """Those that are there still. None of their numbers is given away again so soon."""
    return [each for each in processes if os.path.exists(f"/proc/{each}")]  # noqa: PTH110 - often


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack: seconds until the sessions were gone and all obeyed, and what the neighbours noticed."""

    gone: float
    obeyed: float
    before: dict[str, list[float]]
    after: dict[str, list[float]]


def attacked(host: Host, database: ControlDatabase, count: int, *, suspends: bool) -> Attack:
    """A free account runs so many sessions that never end, and is suspended soon, or left alone."""
    culprit = owner(host, database, "culprit@example.org", "free")
    made = [culprit.ask("POST", BASE, {}) for _ in range(3)]
    neighbours = Neighbours(host, database, open_keyring(database, host.data))
    with neighbours.working():
        time.sleep(QUIET)
        before, neighbours.seconds = neighbours.seconds, {}
        with unending([each["connection_uri"] for each in made], count) as processes:
            time.sleep(QUIET)
            began = time.monotonic()
            if suspends:
                Accounts(database).suspend(culprit.account.id)
            until(lambda: not alive(processes), PATIENCE)
            gone = time.monotonic() - began
        until(lambda: not disobedient(database, culprit.account.id), PATIENCE)
        obeyed = time.monotonic() - began
        time.sleep(AFTER)
    return Attack(gone, obeyed, before, neighbours.seconds)
