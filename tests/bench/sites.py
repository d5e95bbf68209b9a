"""Published sites under load: requests a second beside nginx, and what others feel of slow connections.

    python -m tests.bench.sites [--seconds 8] [--rounds 3] [--connections 64] [--slow 1000]

It builds the documentation and publishes it. `wrk` asks for all of its pages in turn, of us and of nginx with
the same files in a folder, one after the other in each round; the ratio is that of medians. Then 1,000
connections are slow, half of them in sending a request and half in reading a large file, while `wrk` goes on.
"""

from __future__ import annotations

import argparse
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from msgspec import Struct

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from tests.ports import free_port
from tests.server.commands import COMMAND, running
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store

SAMPLE = Path(__file__).parents[2] / "sample-site"
BIG, BIG_BYTES = "big.bin", 30_000_000
FORMS = {"plain": "identity", "gzip": "gzip"}
_PAGES = """
local paths = {%s}
local next = 0
request = function()
  next = next %% #paths + 1
  return wrk.format("GET", paths[next])
end
"""
_NGINX = """
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  types {{ text/html html; text/css css; text/javascript js; }}
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; gzip_static on;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port}; root {folder}/files;
    location / {{ try_files $uri $uri.html $uri/index.html =404; }}
  }}
}}
"""
_LATENCY = {"us": 0.001, "ms": 1.0, "s": 1000.0}


class Load(Struct, frozen=True):
    """The measurements of `wrk`: requests a second, milliseconds at p50 and p99, wrong answers."""

    rate: float
    p50: float
    p99: float
    wrong: int


class Wrk(Struct, frozen=True):
    """The way in which `wrk` asks: for the pages of a script, how long, and on how many connections."""

    script: Path
    seconds: int
    connections: int

    def __call__(self, port: int, coding: str = "identity") -> Load:
        """Ask at a port."""
        sized = ("-t", "2", "-c", str(self.connections), "-d", str(self.seconds), "--latency")
        headers = ("-H", f"Host: {HOST}", "-H", f"Accept-Encoding: {coding}")
        command = ("wrk", *sized, *headers, "-s", str(self.script), f"http://127.0.0.1:{port}/")
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return Load(
            rate=float(_found(r"Requests/sec:\s+([\d.]+)", said)),
            p50=_milliseconds("50%", said),
            p99=_milliseconds("99%", said),
            wrong=sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", said))),
        )


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def _milliseconds(share: str, said: str) -> float:
    number, unit = _found(rf"{share}\s+([\d.]+\w+)", said), ""
    while not number[-1].isdigit():
        number, unit = number[:-1], number[-1] + unit
    return float(number) * _LATENCY[unit]


def files() -> dict[str, bytes]:
    """The files of the documentation, and a large one."""
    output = MemoryOutput()
    build(SAMPLE, output, Options())
    copied = {path: (SAMPLE / file).read_bytes() for path, file in output.copied.items()}
    return {**output.written, **copied, BIG: bytes(BIG_BYTES)}


def pages(found: Mapping[str, bytes]) -> list[str]:
    """The addresses of all pages that are answered in place by both servers."""
    names = [path for path in found if path.startswith("docs/") and path.endswith(".html")]
    return sorted(f"/{path}" for path in names if b'http-equiv="refresh"' not in found[path])


@contextmanager
def nginx(folder: Path, found: Mapping[str, bytes]) -> Iterator[int]:
    """The same files, served by nginx from a folder, with gzip made before. Gives the port."""
    for path, data in found.items():
        file = folder / "files" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    texts = [str(file) for kind in ("html", "css", "js") for file in folder.rglob(f"*.{kind}")]
    subprocess.run(["gzip", "-kf", *texts], check=True)
    folder.chmod(0o755)
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, port=port))
    process = subprocess.Popen(["nginx", "-c", config, "-g", "daemon off;"])
    try:
        _until_open(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _until_open(port: int) -> None:
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("nginx does not listen")


@contextmanager
def sites(folder: Path, found: Mapping[str, bytes]) -> Iterator[int]:
    """The files as a release, served by `twinpress sites`. Gives the port."""
    publish(release_store(folder), found)
    mount(folder, {HOST: SITE})
    with running([COMMAND, "sites", "--data", folder, "--port", "0"], forked=False) as process:
        yield process.port


@contextmanager
def slow(port: int, count: int) -> Iterator[None]:
    """So many connections: half send a request byte by byte, half read a large file a little at a time."""
    done = Event()
    thread = Thread(target=_crawl, args=(port, count, done))
    thread.start()
    try:
        time.sleep(2)
        yield
    finally:
        done.set()
        thread.join()


def _crawl(port: int, count: int, done: Event) -> None:
    head = f"GET /{BIG} HTTP/1.1\r\nHost: {HOST}\r\n".encode()
    with ExitStack() as opened:
        lines = []
        for number in range(count):
            line = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            line.setblocking(False)
            line.send(head[:5] if number % 2 else head + b"\r\n")
            lines.append(line)
        step = 5
        while not done.is_set():
            for number, line in enumerate(lines):
                _one_step(line, head[step % len(head) :][:1] if number % 2 else b"")
            step += 1
            done.wait(1)


def _one_step(line: socket.socket, byte: bytes) -> None:
    with suppress(OSError):  # it has been ended, or has nothing yet
        if byte:
            line.send(byte)
        else:
            line.recv(2000)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--slow", type=int, default=1000)
    chosen = parser.parse_args()
    found = files()
    with ExitStack() as opened:
        folders = [Path(opened.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        script = folders[2] / "pages.lua"
        script.write_text(_PAGES % ", ".join(f'"{page}"' for page in pages(found)))
        ask = Wrk(script, chosen.seconds, chosen.connections)
        ours = opened.enter_context(sites(folders[0], found))
        theirs = opened.enter_context(nginx(folders[1], found)) if shutil.which("nginx") else 0
        beside(ask, ours, theirs, chosen.rounds)
        felt(ask, ours, chosen.rounds, chosen.slow)


def beside(ask: Wrk, ours: int, theirs: int, rounds: int) -> None:
    """Print requests a second, of us and of nginx in turn."""
    for form, coding in FORMS.items():
        runs = [(ask(ours, coding), ask(theirs, coding) if theirs else None) for _ in range(rounds)]
        us = _told(f"twinpress sites, {form}", [run[0] for run in runs])
        if theirs:
            other = _told(f"nginx, {form}", [run[1] for run in runs if run[1]])
            print(f"  ratio to nginx, {form}: {us / other:.2f}")


def felt(ask: Wrk, port: int, rounds: int, count: int) -> None:
    """Print what others feel of slow connections, with and without them in turn."""
    before, during = [], []
    for _ in range(rounds):
        before.append(ask(port))
        with slow(port, count):
            during.append(ask(port))
        time.sleep(2)
    _told("without slow connections", before)
    _told(f"beside {count:,} slow connections", during)
    calm, busy = (statistics.median(run.p99 for run in runs) for runs in (before, during))
    print(f"  p99: {busy / calm:.2f} times")


def _told(what: str, runs: list[Load]) -> float:
    rates = sorted(run.rate for run in runs)
    rate = statistics.median(rates)
    p50, p99 = (statistics.median(getattr(run, name) for run in runs) for name in ("p50", "p99"))
    wrong = sum(run.wrong for run in runs)
    print(
        f"{what}: {rate:,.0f} requests/s ({rates[0]:,.0f} to {rates[-1]:,.0f}), "
        f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, {wrong} wrong",
        flush=True,
    )
    return rate


if __name__ == "__main__":
    main()
