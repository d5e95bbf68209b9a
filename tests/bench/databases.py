"""Hosted databases: how long creating, rotating, revealing, checking a key and suspending take, and memory.

    python -m tests.bench.databases [--databases 200] [--rounds 300] [--folder DIR]

One `twinpress host` with its own PostgreSQL, asked over HTTP by one client; the times are those of whole
requests. Memory is proportional (PSS): what is shared counts in parts.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.keys.management_keys import ManagementKeys
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.hosting.hosted import disobedient
from server.service.postgres_server import reached
from tests.server.service.process import Host

EACH = 50
"""Databases of an account: as many as the premium plan allows."""
SUSPENDED = 100
CLIENTS = 6
CONNECTIONS = 50
BASE = "/api/v1/db/databases"


@dataclass(frozen=True, slots=True)
class Owner:
    """An account with a key."""

    account: Account
    key: str


class Client:
    """One connection that stays open."""

    def __init__(self, host: Host) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", host.port)

    def ask(self, method: str, path: str, key: str) -> tuple[float, dict[str, str]]:
        """Seconds, and what was answered."""
        started = time.perf_counter()
        self._connection.request(method, path, headers={"Authorization": f"Bearer {key}"})
        body = self._connection.getresponse().read()
        seconds = time.perf_counter() - started
        envelope = json.loads(body)
        assert envelope["ok"], envelope
        return seconds, envelope["data"]


def told(what: str, seconds: Sequence[float]) -> None:
    """Median, 95th of 100 and longest."""
    ordered = sorted(seconds)
    middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    print(
        f"{what:40} p50 {middle * 1000:8.2f} ms   p95 {late * 1000:8.2f} ms   "
        f"longest {ordered[-1] * 1000:8.2f} ms   of {len(ordered)}",
        flush=True,
    )


def owners(database: ControlDatabase, count: int) -> list[Owner]:
    """So many accounts on the premium plan, each with a key."""
    accounts, keys = Accounts(database), ManagementKeys(database)
    made = [
        accounts.create(f"owner{n}@example.org", f"owner {n}, a long password", "premium")
        for n in range(count)
    ]
    return [Owner(each, keys.create(each.id).text) for each in made]


def checks(database: ControlDatabase, key: str, rounds: int) -> list[float]:
    """Time checks of a key, without HTTP."""
    keys, seconds = ManagementKeys(database), []
    for _ in range(rounds):
        started = time.perf_counter()
        keys.check(key)
        seconds.append(time.perf_counter() - started)
    keys.close()
    return seconds


def memory(postmaster: int) -> tuple[int, float]:
    """Count PostgreSQL's processes, and their memory in MiB."""
    found, kib = [postmaster], 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                found.append(int(stat.parent.name))
    for pid in found:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kib += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return len(found), kib / 1024


@contextmanager
def reconnecting(uris: Sequence[str]) -> Iterator[list[int]]:
    """Clients that connect, ask and connect again; the list has the number of their logins."""
    stop, logins = threading.Event(), [0]

    def work(uri: str) -> None:
        while not stop.is_set():
            with suppress(psycopg.Error), psycopg.connect(uri) as connection:
                logins[0] += 1
                connection.execute("SELECT pg_sleep(0.01)")

    threads = [threading.Thread(target=work, args=(uris[n % len(uris)],)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield logins
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def suspension(
    database: ControlDatabase, group: Sequence[Owner], uris: Sequence[str], sessions: Callable[[], int]
) -> None:
    """Suspend all of them at once, with clients at the door, and clear them again."""
    accounts = Accounts(database)
    with reconnecting(uris) as logins:
        time.sleep(1)
        assert logins[0] > CLIENTS
        started = time.perf_counter()
        for owner in group:
            accounts.suspend(owner.account.id)
        while any(disobedient(database, owner.account.id) for owner in group):
            time.sleep(0.002)
        took, before = time.perf_counter() - started, logins[0]
        time.sleep(1)
        print(
            f"suspend {SUSPENDED} databases, {CLIENTS} clients at the door: {took * 1000:.0f} ms; "
            f"sessions left {sessions()}, logins after it {logins[0] - before}",
            flush=True,
        )
        started = time.perf_counter()
        for owner in group:
            accounts.clear(owner.account.id)
        while any(disobedient(database, owner.account.id) for owner in group):
            time.sleep(0.002)
        print(f"clear them again: {(time.perf_counter() - started) * 1000:.0f} ms", flush=True)


def main() -> None:
    """Measure all of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--databases", type=int, default=200)
    options.add_argument("--rounds", type=int, default=300)
    options.add_argument("--folder", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="tp-bench-", dir=given.folder) as folder:
        Path(folder).chmod(0o755)
        host = Host(Path(folder) / "data")
        print(f"first start, with initdb: {host.start():.2f} s")
        try:
            with closing(open_data(host.data)) as database:
                measure(host, database, given.databases, given.rounds)
        finally:
            host.stop()
        print(f"start with {given.databases} databases: {host.start():.2f} s")
        host.stop()


def measure(host: Host, database: ControlDatabase, count: int, rounds: int) -> None:
    """All that needs a running service."""
    group, client = owners(database, -(-count // EACH)), Client(host)
    empty = memory(host.postmaster)
    made = [(group[n // EACH], *client.ask("POST", BASE, group[n // EACH].key)) for n in range(count)]
    told("create", [seconds for _, seconds, _ in made])
    at = [(owner, data["id"]) for owner, _, data in made]
    some = [at[n % count] for n in range(rounds)]
    told("rotate", [client.ask("POST", f"{BASE}/{id}/rotate", owner.key)[0] for owner, id in some])
    told("reveal", [client.ask("GET", f"{BASE}/{id}", owner.key)[0] for owner, id in some])
    told("list of 50", [client.ask("GET", BASE, owner.key)[0] for owner, _ in some])
    told("check of a key, without HTTP", checks(database, group[0].key, 10 * rounds))
    time.sleep(3)
    full = memory(host.postmaster)
    print(
        f"PostgreSQL idle: {empty[1]:.0f} MiB without databases, {full[1]:.0f} MiB with {count} "
        f"({full[0]} processes)"
    )
    uris = [client.ask("GET", f"{BASE}/{id}", owner.key)[1]["connection_uri"] for owner, id in at]
    connections(host, uris)
    locked = [uri for uri, (owner, _) in zip(uris, at, strict=True) if owner in group[: SUSPENDED // EACH]]
    suspension(
        database, group[: SUSPENDED // EACH], locked, lambda: sessions(host, database, [id for _, id in at])
    )


def connections(host: Host, uris: Sequence[str]) -> None:
    """Measure the cost of idle sessions that have done a little."""
    before = memory(host.postmaster)
    held = [psycopg.connect(uri, autocommit=True) for uri in uris[:CONNECTIONS]]
    for each in held:
        each.execute("CREATE TABLE IF NOT EXISTS bench (x int)")
        each.execute("SELECT count(*) FROM information_schema.columns")
    after = memory(host.postmaster)
    for each in held:
        each.close()
    print(f"an idle session: {(after[1] - before[1]) / len(held):.2f} MiB (of {len(held)})", flush=True)


def sessions(host: Host, database: ControlDatabase, names: list[str]) -> int:
    """Count the sessions of tenants; a client at the door has none yet."""
    server = reached(host.data, database, "")
    assert server
    with server.connect() as admin:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE usename = ANY (%s) AND state IS NOT NULL"
        row = admin.execute(sql, [names]).fetchone()
    return int(row[0]) if row else -1


if __name__ == "__main__":
    main()
