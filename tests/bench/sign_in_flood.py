"""The effect on others of a flood of sign-ins: 2,000 at once, each from an address of its own.

    python -m tests.bench.sign_in_flood [--count 2000]

Each is for another account and hashes a password, or is sent away. Meanwhile somebody who is signed in opens
their account, again and again, on a connection that stays open, as a
browser's or a proxy's does. The service trusts this machine as a proxy, so that
each sign-in comes from where its header says.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import statistics
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from threading import Event

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

from server.control.sign_in.browser_sessions import BrowserSessions
from tests.server.service.hosting import hosting
from tests.server.service.place import data_folder
from tests.waiting import PATIENCE, until

LONG = 0.5
"""Seconds that nobody else should have to wait."""
QUIET = 3.0
"""Seconds that are measured without the flood."""


def flood(port: int, count: int) -> Counter[str]:
    """Sign in so often at once; the answers by their status, or by what went wrong."""
    return asyncio.run(_flood(port, count))


async def _flood(port: int, count: int) -> Counter[str]:
    async with ClientSession(
        f"http://127.0.0.1:{port}", connector=TCPConnector(limit=0), timeout=ClientTimeout(PATIENCE * 10)
    ) as session:
        return Counter(await asyncio.gather(*(_sign_in(session, port, number) for number in range(count))))


async def _sign_in(session: ClientSession, port: int, number: int) -> str:
    headers = {"Host": f"localhost:{port}", "Sec-Fetch-Site": "same-origin"}
    headers["X-Forwarded-For"] = f"10.{number // 250}.{number % 250}.1"
    form = {"email": f"{number}@example.com", "password": "a guess of four words"}
    try:
        async with session.post("/sign-in", data=form, headers=headers, allow_redirects=False) as answer:
            await answer.read()
            return str(answer.status)
    except (ClientError, OSError) as error:
        return type(error).__name__


def others(port: int, token: str, done: Event) -> tuple[Counter[int], list[float]]:
    """Open the account until it is done; the answers by their status, and how many seconds each took."""
    statuses, times = Counter[int](), list[float]()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    while not done.wait(0.01):
        began = time.perf_counter()
        try:
            status = _open_account(connection, port, token)
        except (ConnectionError, http.client.RemoteDisconnected):
            connection.close()  # in a crowd, connections that are idle make way: browsers come back then, too
            status = _open_account(connection, port, token)
        statuses[status] += 1
        times.append(time.perf_counter() - began)
    connection.close()
    return statuses, times


def _open_account(connection: http.client.HTTPConnection, port: int, token: str) -> int:
    headers = {"Host": f"localhost:{port}", "Cookie": f"twinpress={token}"}
    connection.request("GET", "/account", headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def memory(process: int) -> tuple[int, int]:
    """MiB of a process: at most so far, and now."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    found = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return int(found["VmHWM"]) // 1024, int(found["VmRSS"]) // 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    wanted = parser.parse_args()
    options = ("--port", "0", "--no-databases", "--trusted-proxy", "127.0.0.1")
    with data_folder() as place, hosting(place, *options, ready=False, forked=False) as service:
        until(service.is_ready)
        port, process = service.preview.port, service.process.pid
        token = BrowserSessions(service.database).begin(service.account().id).token
        before, done = memory(process), Event()
        with ThreadPoolExecutor(1) as threads, ProcessPoolExecutor(1) as clients:
            clients.submit(time.time).result()  # the process is there
            asked = threads.submit(others, port, token, done)
            time.sleep(QUIET)
            began = time.perf_counter()
            answers = clients.submit(flood, port, wanted.count).result()
            seconds = time.perf_counter() - began
            done.set()
            statuses, times = asked.result()
        after = memory(process)
    print(f"{wanted.count} sign-ins in {seconds:.1f} s: {dict(answers)}")
    print(f"others: {dict(statuses)}, {felt(times)}")
    print(f"MiB at most and now: {before} before, {after} after")


def felt(times: list[float]) -> str:
    """Tell how long others waited."""
    longest = sorted(times)
    median, late = statistics.median(longest) * 1000, longest[len(longest) * 99 // 100] * 1000
    over = sum(one > LONG for one in times)
    most = longest[-1] * 1000
    return f"median {median:.1f} ms, p99 {late:.0f} ms, at most {most:.0f} ms, {over} over {LONG} s"


if __name__ == "__main__":
    main()
