"""A client of the service that is killed: what it was told, all of it must be so afterwards."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import threading
import time
from dataclasses import dataclass, field

from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.keys.management_keys import ManagementKeys
from server.control.plans import PLANS
from server.control.sealing import Keyring
from server.control.sqlite.database import ControlDatabase
from server.hosting.idempotency import Ask
from server.hosting.intents import Intents
from tests.server.service.process import Host

BASE = "/api/v1/db/databases"


@dataclass(slots=True)
class Worker:
    """Changes the databases of one account, and keeps what was acknowledged."""

    host: Host
    account: Account
    key: str
    accounts: Accounts
    intents: Intents
    chance: random.Random
    passwords: dict[str, str] = field(default_factory=dict)
    """The last acknowledged password of each database that is there."""
    deleted: set[str] = field(default_factory=set)
    open: tuple[str, object, str] | None = None
    """Path, body and idempotency key of a request whose answer has not come."""
    suspended: bool = False
    done: dict[str, int] = field(default_factory=dict)

    def work(self, stop: threading.Event) -> None:
        """Until the service is gone, or that is enough."""
        try:
            while not stop.is_set():
                self.step()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            return

    def step(self) -> None:
        """One change."""
        if self.open:
            self.finish()
        elif self.suspended:
            self.clear()
        else:
            self.chance.choice([self.create, self.rotate, self.rotate, self.delete, self.suspend])()

    def create(self) -> None:
        """A new database, unless there are enough."""
        if len(self.passwords) < 8:
            self.ask(BASE, {"name": f"n{secrets.token_hex(6)}"})

    def rotate(self) -> None:
        """A new password of one of them."""
        if self.passwords:
            self.ask(f"{BASE}/{self.chance.choice(sorted(self.passwords))}/rotate", {})

    def ask(self, path: str, body: object) -> None:
        """A request that is sent until it is answered."""
        self.open = (path, body, secrets.token_hex(16))
        self.finish()

    def finish(self) -> None:
        """Send it, perhaps once more; with the same key it is done once."""
        assert self.open
        path, body, once = self.open
        status, envelope = self.host.ask("POST", path, self.key, body, Idempotency_Key=once)
        if status in {200, 201}:
            self.passwords[envelope["data"]["id"]] = envelope["data"]["password"]
            self.open = None
            self.count("create" if status == 201 else "rotate")
        elif envelope["code"] not in {"IDEMPOTENCY_IN_PROGRESS", "ENGINE_UNAVAILABLE", "DATABASE_BUSY"}:
            raise AssertionError(envelope)

    def delete(self) -> None:
        """As the dashboard does: written down, and done by whoever leads."""
        if len(self.passwords) > 3:
            id = self.chance.choice(sorted(self.passwords))
            self.intents.delete(Ask(self.account.id, "crash"), id)
            del self.passwords[id]
            self.deleted.add(id)
            self.count("delete")

    def suspend(self) -> None:
        """Suspend the account; it is cleared in the next step, so that kills fall on either side."""
        self.accounts.suspend(self.account.id)
        self.suspended = True
        self.count("suspend")
        time.sleep(self.chance.random() / 5)

    def clear(self) -> None:
        """End the suspension."""
        self.accounts.clear(self.account.id)
        self.suspended = False
        self.count("clear")

    def count(self, what: str) -> None:
        """One more was acknowledged."""
        self.done[what] = self.done.get(what, 0) + 1


def worker(host: Host, database: ControlDatabase, keyring: Keyring, chance: random.Random) -> Worker:
    """One with an account of its own."""
    accounts = Accounts(database)
    account = accounts.create(f"{secrets.token_hex(4)}@example.org", secrets.token_hex(16), "premium")
    key = ManagementKeys(database).create(account.id).text
    intents = Intents(database, keyring, PLANS, time.time)
    return Worker(host, account, key, accounts, intents, chance)
