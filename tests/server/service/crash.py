"""Kill the service, and PostgreSQL with it, while workers change databases; then look whether all was kept.

`python -m tests.server.service.crash [KILLS [SERVICES]]` does it for long; the suite has the short form. Of
several services on the folder one is killed at a time, or stands still for so long that it loses the lead.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from server.control.sealing import Keyring, open_keyring, password_of
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.postgres.tenants.leadership import LEASE
from server.postgres.tenants.provisioning import Provisioner
from server.service.postgres_server import reached
from tests.server.service.process import Host
from tests.server.service.worker import Worker, worker
from tests.time_bounds import slowness
from tests.waiting import until

WORKERS = 3
"""At each service."""
POSTGRES_EVERY = 4
"""Each fourth kill takes PostgreSQL along."""
STILL_EVERY = 5
"""Of several services, each fifth time one is not killed, but stands still."""
LOCKED = "not permitted to log in"


@dataclass(slots=True)
class Report:
    """Counts of what was done, and of what was found to be wrong afterwards; the latter must all be 0."""

    kills: int = 0
    kills_of_postgres: int = 0
    stops: int = 0
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


def crash(
    data: Path, kills: int, services: int = 1, seed: int = 7, tell: Callable[[str], None] = lambda _: None
) -> Report:
    """Start services on an empty folder and kill one of them so often."""
    hosts, report, chance = [Host(data) for _ in range(services)], Report(), random.Random(seed)
    for host in hosts:
        host.start()
    with ExitStack() as opened:
        database = opened.enter_context(closing(open_data(data)))
        keyring = open_keyring(database, data)
        workers = [
            worker(hosts[n % services], database, keyring, random.Random(seed + n))
            for n in range(WORKERS * services)
        ]
        try:
            for number in range(kills):
                _one_blow(hosts, workers, report, chance, number)
                _check(hosts[0], database, keyring, workers, report)
                recovered = f"{report.recoveries[-1]:.2f} s" if report.recoveries else "no time"
                tell(f"{number + 1} of {kills}: recovered in {recovered}, {report.faults}")
        finally:
            for host in hosts:
                host.stop()
    for each in workers:
        for name, count in each.done.items():
            report.acknowledged[name] = report.acknowledged.get(name, 0) + count
    return report


def _one_blow(
    hosts: list[Host], workers: list[Worker], report: Report, chance: random.Random, number: int
) -> None:
    victim = hosts[chance.randrange(len(hosts))]
    with _working(workers):
        time.sleep(0.3 + chance.random() * 0.9)
        if len(hosts) > 1 and number % STILL_EVERY == 0:
            report.stops += 1
            _stand_still(victim, LEASE * (0.3 + chance.random()))
        else:
            with_postgres = number % POSTGRES_EVERY == POSTGRES_EVERY - 1
            victim.kill(with_postgres=with_postgres)
            report.kills += 1
            report.kills_of_postgres += with_postgres
            time.sleep(1 if len(hosts) > 1 else 0)  # the others go on
    if victim.preview is None or victim.preview.process.poll() is not None:
        report.recoveries.append(victim.start())
    until(lambda: all(host.is_ready() for host in hosts))


@contextmanager
def _working(workers: list[Worker]) -> Iterator[None]:
    stop = threading.Event()
    threads = [threading.Thread(target=each.work, args=(stop,)) for each in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _stand_still(host: Host, seconds: float) -> None:
    """As somebody has it do with Ctrl+Z, or a debugger; when it goes on, another may lead."""
    assert host.preview
    host.preview.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    host.preview.process.send_signal(signal.SIGCONT)
    time.sleep(1)


def _check(
    host: Host, database: ControlDatabase, keyring: Keyring, workers: list[Worker], report: Report
) -> None:
    server = reached(host.data, database, "")
    assert server
    with closing(Provisioner(server, needs_lead=False)) as provisioner:
        for worker in workers:
            _check_worker(worker, provisioner, database, keyring, report)
        known = {row.id for row in hosted.every(database)}
        end = time.monotonic() + 5 * slowness(time.monotonic)
        while (found := set(provisioner.found())) != known and time.monotonic() < end:
            time.sleep(0.05)
            known = {row.id for row in hosted.every(database)}
        report.orphans += len(found ^ known)


def _check_worker(
    worker: Worker, provisioner: Provisioner, database: ControlDatabase, keyring: Keyring, report: Report
) -> None:
    """The service is ready: it has settled what was begun, and nobody asks for more."""
    while worker.open and not worker.suspended:
        worker.finish()
    for id, password in worker.passwords.items():
        row = hosted.one(database, id)
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
        row = hosted.one(database, id)
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
    options = argparse.ArgumentParser()
    options.add_argument("kills", type=int, nargs="?", default=38)
    options.add_argument("services", type=int, nargs="?", default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="tp-crash-") as folder:
        Path(folder).chmod(0o755)
        report = crash(Path(folder) / "data", given.kills, given.services, tell=print)
    print(json.dumps(asdict(report) | {"recoveries": max(report.recoveries)}))
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
