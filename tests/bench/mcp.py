"""The tools that read: messages a second in one process, over HTTP to a published site and without it.

    python -m tests.bench.mcp [--clients 8] [--seconds 5]

The sample site is published into a folder, and asked by clients that keep their connections. A message is a
search, one of the questions that the tests have, or a page that is read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from multiprocessing import Pool
from pathlib import Path

import tests
from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.server.mcp.clients import call, mirrored
from tests.server.site_serving.asking import serving_sites
from tests.server.site_serving.published import folder_files, mount, publish, release_store
from tests.themes.conftest import SAMPLE_SITE

QUESTIONS = list(
    json.loads((Path(tests.__file__).parent / "builder/search/query/questions.json").read_text())
)
MESSAGES: dict[str, list[dict[str, object]]] = {
    "search": [call("search", query=question) for question in QUESTIONS],
    "read": [call("read", path="/docs/start/install"), call("read", path="/docs/writing/markdown")],
    "list": [call("list")],
}


def _asked(given: tuple[int, str, float]) -> int:
    """Ask for so many seconds on one connection; return how many were answered."""
    port, what, seconds = given
    connection = http.client.HTTPConnection("127.0.0.1", port)
    until = time.monotonic() + seconds
    for count, sent in enumerate(cycle(MESSAGES[what])):
        if time.monotonic() > until:
            return count
        headers = {"Content-Type": "application/json", **mirrored(sent)}
        connection.request("POST", "/mcp", json.dumps(sent), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
    raise AssertionError("a cycle has no end")


def _processor(process: int) -> float:
    """The seconds of a processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rate(work: Callable[[], int], process: int) -> str:
    started, before = time.perf_counter(), _processor(process)
    count = work()
    clock, processor = time.perf_counter() - started, _processor(process) - before
    return f"{count / clock:8,.0f} a second, {count / processor:8,.0f} in a second of a processor"


def main() -> None:
    """Publish, ask, tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dist, data = Path(folder) / "dist", Path(folder) / "data"
        build(SAMPLE_SITE, FolderOutput(dist), Options(cache="read"))
        publish(release_store(data), folder_files(dist))
        mount(data, {"127.0.0.1": "site_quay"})
        with serving_sites(data) as readers, Pool(given.clients) as pool:
            for what in MESSAGES:
                asked = [(readers.port, what, given.seconds)] * given.clients
                rate = _rate(lambda: sum(pool.map(_asked, asked)), readers.process.process.pid)  # noqa: B023
                print(f"{what:8}{rate}")


if __name__ == "__main__":
    main()
