"""Kill the service, and PostgreSQL with it, while workers change databases; then look whether all was kept.

`python -m tests.server.host.crash [KILLS]` does it for long; the suite has the short form.
"""

from __future__ import annotations

import http.client
import json
import random
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from server.control.account_rows import Account
from server.control.accounts import Accounts
from server.control.data_folder import open_data
from server.control.database import Database
from server.control.management_keys import ManagementKeys
from server.control.plans import PLANS
from server.control.sealing import Keyring, open_keyring, password_of
from server.engine.provisioning import Provisioner
from server.host.engine import reached
from server.hosting import rows
from server.hosting.asking import Ask
from server.hosting.intents import Intents
from tests.server.host.process import Host

WORKERS = 3
POSTGRES_EVERY = 4
"""Each fourth kill takes PostgreSQL along."""
BASE = "/api/v1/db/databases"
LOCKED = "not permitted to log in"


@dataclass(slots=True)
class Report:
    """What was done, and what was found to be wrong afterwards; the latter must all be 0."""

    kills: int = 0
    kills_of_postgres: int = 0
    acknowledged: dict[str, int] = field(default_factory=dict)
    checked: int = 0
    orphans: int = 0
    wrong_passwords: int = 0
    lost_operations: int = 0
    wrong_locks: int = 0
    recoveries: list[float] = field(default_factory=list)
    """Seconds from the start of the process until it is ready."""

    @property
    def faults(self) -> dict[str, int]:
        """The counts that must be 0."""
        names = ("orphans", "wrong_passwords", "lost_operations", "wrong_locks")
        return {name: value for name in names if (value := getattr(self, name))}


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


def crash(data: Path, kills: int, seed: int = 7, tell: Callable[[str], None] = lambda _: None) -> Report:
    """Start a service on an empty folder and kill it so often."""
    host, report, chance = Host(data), Report(), random.Random(seed)
    host.start()
    with ExitStack() as opened:
        database = opened.enter_context(closing(open_data(data)))
        keyring = open_keyring(database, data)
        workers = [_worker(host, database, keyring, random.Random(seed + n)) for n in range(WORKERS)]
        try:
            for number in range(kills):
                _one_kill(
                    host, workers, report, chance, with_postgres=number % POSTGRES_EVERY == POSTGRES_EVERY - 1
                )
                _check(host, database, keyring, workers, report)
                tell(f"{number + 1} of {kills}: recovered in {report.recoveries[-1]:.2f} s, {report.faults}")
        finally:
            host.stop()
    for worker in workers:
        for name, count in worker.done.items():
            report.acknowledged[name] = report.acknowledged.get(name, 0) + count
    return report


def _worker(host: Host, database: Database, keyring: Keyring, chance: random.Random) -> Worker:
    accounts = Accounts(database)
    account = accounts.create(f"{secrets.token_hex(4)}@example.org", secrets.token_hex(16), "premium")
    key = ManagementKeys(database).create(account.id).text
    intents = Intents(database, keyring, PLANS, time.time)
    return Worker(host, account, key, accounts, intents, chance)


def _one_kill(
    host: Host, workers: list[Worker], report: Report, chance: random.Random, *, with_postgres: bool
) -> None:
    stop = threading.Event()
    threads = [threading.Thread(target=worker.work, args=(stop,)) for worker in workers]
    for thread in threads:
        thread.start()
    time.sleep(0.3 + chance.random() * 0.9)
    host.kill(with_postgres=with_postgres)
    stop.set()
    for thread in threads:
        thread.join()
    report.kills += 1
    report.kills_of_postgres += with_postgres
    report.recoveries.append(host.start())


def _check(host: Host, database: Database, keyring: Keyring, workers: list[Worker], report: Report) -> None:
    server = reached(host.data, database, "")
    assert server
    with closing(Provisioner(server)) as provisioner:
        for worker in workers:
            _check_worker(worker, provisioner, database, keyring, report)
        known = {row.id for row in rows.every(database)}
        end = time.monotonic() + 5
        while (found := set(provisioner.found())) != known and time.monotonic() < end:
            time.sleep(0.05)
            known = {row.id for row in rows.every(database)}
        report.orphans += len(found ^ known)


def _check_worker(
    worker: Worker, provisioner: Provisioner, database: Database, keyring: Keyring, report: Report
) -> None:
    """The service is ready: it has settled what was begun, and nobody asks for more."""
    while worker.open and not worker.suspended:
        worker.finish()
    for id, password in worker.passwords.items():
        row = rows.one(database, id)
        pending = worker.open is not None and id in worker.open[0]
        if row is None or row.wanted != "present" or row.password is None:
            report.lost_operations += 1
            continue
        report.checked += 1
        kept = keyring.open(row.password, password_of(id))
        if kept != password and not pending:
            report.lost_operations += 1
        if not provisioner.verify(id, kept):
            report.wrong_passwords += 1
        report.wrong_locks += not _is_lock_right(provisioner, id, kept, suspended=worker.suspended)
    for id in worker.deleted:
        row = rows.one(database, id)
        report.lost_operations += row is not None and row.wanted == "present"


def _is_lock_right(provisioner: Provisioner, id: str, password: str, *, suspended: bool) -> bool:
    server = provisioner._server()
    try:
        psycopg.connect(
            host=server.public_host, port=server.public_port, user=id, dbname=id, password=password
        ).close()
    except psycopg.OperationalError as error:
        return suspended and LOCKED in str(error)
    return not suspended


def main() -> None:
    """The long form."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 38
    with tempfile.TemporaryDirectory(prefix="tp-crash-") as folder:
        Path(folder).chmod(0o755)
        report = crash(Path(folder) / "data", kills, tell=print)
    print(json.dumps(asdict(report) | {"recoveries": max(report.recoveries)}))
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
