"""The TLS proxy's question under load: how long an answer takes, with many hosts.

    python -m tests.bench.certificates [--hosts 10000] [--questions 5000]

One connection that stays open, as Caddy's does, asks for names in turn, half of them hosts of sites.
"""

from __future__ import annotations

import argparse
import http.client
import os
import tempfile
import time
from pathlib import Path

from tests.ports import free_port
from tests.server.commands import COMMAND, running
from tests.server.site_serving.published import SITE, mount


def main() -> None:
    """Print the median and the slowest answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=5_000)
    given = parser.parse_args()
    names = [f"docs.name{number}.example" for number in range(given.hosts)]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        mount(Path(folder), dict.fromkeys(names, SITE))
        command = (COMMAND, "sites", "--data", folder, "--port", "0", "--ask-port", str(port))
        with running(command) as service:
            before = _computed(service.process.pid)
            times = sorted(_asked(port, names, given.questions))
            each = (_computed(service.process.pid) - before) / given.questions
    shares = ("p50", 0.5), ("p90", 0.9), ("p99", 0.99)
    told = ", ".join(f"{name} {times[int(len(times) * share)] * 1000:.2f} ms" for name, share in shares)
    print(f"{given.hosts:,} hosts: {told}, {each * 1000:.2f} ms of a processor (aim: under 1 ms)")


def _computed(process: int) -> float:
    """Return the seconds of a processor that a process has taken, which others change little in."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _asked(port: int, names: list[str], questions: int) -> list[float]:
    """Return the seconds that each answer took."""
    line, found = http.client.HTTPConnection("127.0.0.1", port), list[float]()
    line.connect()
    for number in range(questions):
        name = names[number % len(names)]
        begun = time.perf_counter()
        line.request("GET", f"/?domain={name if number % 2 else f'no.{name}'}")
        answer = line.getresponse()
        answer.read()
        found.append(time.perf_counter() - begun)
        assert answer.status == (200 if number % 2 else 404)
    line.close()
    return found[100:]


if __name__ == "__main__":
    main()
