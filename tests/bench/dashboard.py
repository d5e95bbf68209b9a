"""The dashboard of a full service, and the authoring API of its sites beside that of the preview.

    python -m tests.bench.dashboard [--pages 10000] [--sites 200] [--events 100000] [--idle 500] [--rounds 7]

Pages of the dashboard are asked for 30 times one after another, behind once that opens the site. GET and PUT
go over one connection, in turns of a second with `twinpress serve` on a site of the same 200 pages.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from msgspec import Struct

from server.authoring.site_work import SiteWork, open_site_work
from server.control.accounts.accounts import Accounts
from server.control.audit import By
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.plans import PLANS
from server.control.sites import local_site
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.local_database import local_database
from tests.bench.api import BASE, write_site
from tests.ports import free_port
from tests.server.commands import COMMAND, running
from tests.server.dashboard.browser import Browser

EMAIL, PASSWORD = "bench@example.com", "four unrelated words here"
BENCH = By("bench")
KEYS = 60
"""Keys of the sites that are read and written over HTTP: each may ask so many times a minute."""
SMALL = 200
"""Pages of the sites that are read and written over HTTP."""
EVENT = """
    INSERT INTO audit (at, account, actor, action, subject, request) VALUES (?, ?, 'x', 'key.create', 'x', '')
"""


class Bench(Struct):
    """A data folder: its account, a large site, and a small one with a key."""

    data: Path
    account: str
    keys: list[str]


def fill(data: Path, wanted: argparse.Namespace) -> Bench:
    """A service with everything that is asked for."""
    with closing(open_data(data)) as control, open_site_work(control, data, PLANS) as work:
        account = Accounts(control).create(EMAIL, PASSWORD, "premium").id
        large = work.created(
            account, "large", BENCH, lambda root: write_site(root, wanted.pages), "site.create"
        )
        small = work.created(account, "small", BENCH, lambda root: write_site(root, SMALL), "site.create")
        for number in range(wanted.sites - 2):
            work.create(account, f"site-{number}", BENCH)
        _events(control, account, wanted.events)
        for site in (large, small):
            with work.opened.using(site) as opened:
                opened.history.catch_up()
        return Bench(data, account, [_key(work.keys, small.id) for _ in range(KEYS)])


def _key(keys: SiteKeys, site: str) -> str:
    return keys.create(KeyKind.LONG_LIVED, site).text


def _events(control: ControlDatabase, account: str, events: int) -> None:
    with control.change() as change:
        for number in range(events):
            change.write(EVENT, (number, account))


@contextmanager
def hosting(data: Path) -> Iterator[tuple[int, int]]:
    """The service; gives its port and its process."""
    port = free_port()
    command = [COMMAND, "host", "--data", data, "--port", str(port), "--sites-port", "0", "--no-databases"]
    with running([*command, "--requests", "0"], forked=False) as host:
        host.says("Ctrl+C stops it")
        yield port, host.process.pid


def pages(port: int) -> None:
    """Times of the dashboard's pages."""
    browser = Browser(port)
    assert browser.post("/sign-in", {"email": EMAIL, "password": PASSWORD}).status == 200
    site = "/sites/large"
    for path in (
        "/sites", "/activity", "/account", site, f"{site}/pages", f"{site}/pages?folder=docs/f1",
        f"{site}/pages?q=Page+77", f"{site}/pages/edit?path=docs/f1/p1",
        f"{site}/pages/history?path=docs/f1/p1", f"{site}/keys", f"{site}/settings", f"{site}/problems",
    ):  # fmt: skip
        first = _timed(lambda path=path: browser.get(path))
        times = sorted(_timed(lambda path=path: browser.get(path)) * 1000 for _ in range(30))
        print(f"  {path:45} p50 {times[15]:6.1f} ms  p95 {times[28]:6.1f} ms  first {first:5.2f} s")


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def beside_the_preview(bench: Bench, port: int, folder: Path, rounds: int) -> None:
    """GET and PUT of the service and of the preview, in turns."""
    root = folder / "site"
    root.mkdir()
    write_site(root, SMALL)
    with closing(local_database(root)) as database, closing(SiteKeys(database)) as keys:
        own = [_key(keys, local_site(database)) for _ in range(KEYS)]
    command = [COMMAND, "serve", root, "--port", "0", "--no-key", "--requests", "0"]
    with running(command, forked=False) as preview:
        servers = {"service": (port, bench.keys), "preview": (preview.port, own)}
        for method in ("GET", "PUT"):
            rates = {name: list[float]() for name in servers}
            for _ in range(rounds):
                for name, (at, texts) in servers.items():
                    rates[name].append(_rate(at, texts, method))
            ratios = [one / other for one, other in zip(rates["service"], rates["preview"], strict=True)]
            middle = {name: statistics.median(found) for name, found in rates.items()}
            print(
                f"  {method}: service {middle['service']:.0f}/s, preview {middle['preview']:.0f}/s, "
                f"ratio {statistics.median(ratios):.2f}"
            )


def _rate(port: int, keys: Sequence[str], method: str) -> float:
    """Requests a second, for one second."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Host": "localhost", "Content-Type": "application/json"}
    end, done = time.perf_counter() + 1, 0
    for number in count():
        path = f"docs/f{number % 10}/p{number % SMALL}"
        body = json.dumps({"path": path, "body": f"Text {number} {end}.\n"}) if method == "PUT" else None
        headers["Authorization"] = f"Bearer {keys[number % KEYS]}"
        connection.request(method, BASE if body else f"{BASE}?path={path}", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status in {200, 201}, answer.status
        done += 1
        if time.perf_counter() > end:
            break
    connection.close()
    return done


def idle(data: Path, sites: int) -> None:
    """Memory of the service with no site, and with so many that nobody uses."""
    with hosting(data) as (_, process):
        before = _memory(process)
    with closing(open_data(data)) as control, open_site_work(control, data, PLANS) as work:
        _create(work, control, sites)
    with hosting(data) as (_, process):
        print(
            f"  {sites} sites that nobody uses: {before:.0f} MB before, {_memory(process):.0f} MB with them"
        )


def _create(work: SiteWork, control: ControlDatabase, sites: int) -> None:
    account = Accounts(control).create(EMAIL, PASSWORD, "premium").id
    for number in range(sites):
        work.create(account, f"idle-{number}", BENCH)


def _memory(process: int) -> float:
    """Resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("pages", 10_000),
        ("sites", 200),
        ("events", 100_000),
        ("idle", 500),
        ("rounds", 7),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = fill(Path(folder) / "data", wanted)
        with hosting(bench.data) as (port, _):
            print(f"Pages, {wanted.sites} sites, {wanted.pages:,} pages in one, {wanted.events:,} events")
            pages(port)
            print("The authoring API, one connection")
            beside_the_preview(bench, port, Path(folder), wanted.rounds)
        print("Memory")
        idle(Path(folder) / "idle", wanted.idle)


if __name__ == "__main__":
    main()
