"""The effect on others of clients that do not read: 500 ask for something large, again and again.

    python -m tests.bench.unread [--count 500] [--seconds 40]

Both servers are attacked from this machine, which is under no limit of one address: `twinpress host` at its
open document, `twinpress serve` at the same and at a large file. Each client whose connection is ended comes
back. Meanwhile others ask for something small, each on a connection of its own.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Event

from tests.server.commands import serving
from tests.server.http.deaf import deaf
from tests.server.service.hosting import hosting
from tests.server.service.place import data_folder
from tests.sites import write_site
from tests.waiting import PATIENCE

DOCUMENT = "/api/v1/openapi.json"
LARGE = 20 * 1024 * 1024
Asked = tuple[Counter[int], list[float]]


@contextmanager
def host() -> Iterator[int]:
    """The port of a service."""
    with data_folder() as place, hosting(place, "--port", "0", forked=False) as service:
        yield service.preview.port


@contextmanager
def serve() -> Iterator[int]:
    """The port of a preview with a large file."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_site(Path(folder), {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
        (root / "static").mkdir()
        (root / "static/large.bin").write_bytes(bytes(LARGE))
        with serving(root, "--port", "0", "--no-key") as preview:
            yield preview.port


TRIALS = (
    ("host", host, DOCUMENT, "/healthz"),
    ("serve", serve, DOCUMENT, "/docs/"),
    ("serve", serve, "/large.bin", "/docs/"),
)


def one(port: int, path: str) -> int:
    """The status of one request on a connection of its own; 0 for no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def others(port: int, path: str, done: Event) -> tuple[Counter[int], list[float]]:
    """Ask until it is done; the answers by their status, and how many seconds each took."""
    statuses, times = Counter[int](), list[float]()
    while not done.wait(0.01):
        began = time.perf_counter()
        statuses[one(port, path)] += 1
        times.append(time.perf_counter() - began)
    return statuses, times


def during(port: int, path: str, seconds: float, attack: AbstractContextManager[object]) -> Asked:
    """Return the answers that others get from before an attack until it has lasted so long."""
    done = Event()
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(others, port, path, done)
        try:
            with attack:
                time.sleep(seconds)
        finally:
            done.set()
        return asked.result()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=40.0)
    wanted = parser.parse_args()
    for name, server, path, small in TRIALS:
        with server() as port:
            _, quiet = during(port, small, 2.0, nullcontext())
            statuses, times = during(port, small, wanted.seconds, deaf(port, path, wanted.count))
        late, worst = sorted(times)[len(times) * 99 // 100] * 1000, max(times) * 1000
        quietly, median = (statistics.median(each) * 1000 for each in (quiet, times))
        print(
            f"{name} {path}: answers {dict(statuses)}; {median:.1f} ms, in quiet {quietly:.1f} ms;", end=" "
        )
        print(f"p99 {late:.0f} ms, at most {worst:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
