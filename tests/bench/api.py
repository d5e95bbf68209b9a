"""The authoring API under load: GET and PUT a second, and how long the event loop was blocked meanwhile.

    python -m tests.bench.api [--pages 200] [--seconds 5] [--connections 64] [--folder DIR]

`wrk` must be on the PATH (it is in Debian's packages). A PUT is measured against the least that any durable
write costs: a loop of write, fsync, rename and fsync of the folder, in turn with it and on the same disk
(`--folder`). The server is `twinpress serve`, with its preview and all.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database

BASE = "/api/v1/pages/ai/page"
PAGE = """# Page {n}

A paragraph with **words** and a [link](/docs/f{folder}/p{other}).

:::tip
Something to know.
:::

```python title="example.py"
print({n})
```
"""
GET = """
request = function()
  n = (n or 0) + 1
  local page = n % {pages}
  local path = "docs/f" .. page % 10 .. "/p" .. page
  return wrk.format("GET", "{base}?path=" .. path, {{Authorization = "Bearer {key}"}})
end
"""
PUT = """
local headers = {{Authorization = "Bearer {key}", ["Content-Type"] = "application/json"}}
local run = 0
setup = function(thread) run = run + 1; thread:set("n", run * 7919) end
request = function()
  n = n + 1
  local page = n % {pages}
  local path = "docs/f" .. page % 10 .. "/p" .. page
  local body = '{{"path": "' .. path .. '", "body": "{text}' .. n .. '"}}'
  return wrk.format("PUT", "{base}", headers, body)
end
"""
BAD = """
response = function(status) if status >= 400 then bad = (bad or 0) + 1; print("status " .. status) end end
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its address, a key, and where it tells how long its loop was blocked."""

    address: str
    key: str
    blocks: Path

    def longest(self, since: float) -> float:
        """The longest block in seconds since a moment of `time.monotonic`."""
        told = (line.split() for line in self.blocks.read_text().splitlines())
        return max((float(seconds) for when, seconds in told if float(when) > since), default=0.0)


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load: requests a second, and the longest block of the loop in seconds."""

    rate: float
    block: float


@contextmanager
def serving(root: Path, work: Path) -> Iterator[Server]:
    """A server of the site in `root`, with its first build done."""
    with closing(local_database(root)) as database, closing(SiteKeys(database)) as keys:
        key = keys.create(KeyKind.LONG_LIVED, local_site(database), "bench").text
    blocks = work / "blocks"
    blocks.touch()
    command = (sys.executable, "-m", "tests.bench.watched", blocks, "serve", root, "--port", "0")
    process = subprocess.Popen(
        [*command, "--no-key", "--requests", "0"], stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"http://[^/\s]+", line):
                break
        else:
            sys.exit("the server did not start")
        threading.Thread(target=process.stderr.read, daemon=True).start()  # or the pipe would fill
        yield Server(found[0], key, blocks)
    finally:
        process.terminate()
        process.wait()


def load(server: Server, script: str, seconds: int, connections: int) -> Load:
    """Run wrk with a script; exits when any answer was none or a failure."""
    started = time.monotonic()
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script + BAD)
        file.flush()
        command = [
            "wrk",
            "-t2",
            f"-c{connections}",
            f"-d{seconds}s",
            "--timeout",
            "30s",
            "-s",
            file.name,
            server.address,
        ]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Requests/sec:\s+([\d.]+)", said)
    if found is None or re.search("Non-2xx|Socket errors|status", said):
        sys.exit(f"not all requests were answered well:\n{said[-2000:]}")
    return Load(float(found[1]), server.longest(started))


def raw(folder: Path, text: bytes, seconds: int, pages: int) -> float:
    """Durable writes a second, one after another, over files that are there."""
    folder.mkdir(exist_ok=True)
    place, done, started = os.open(folder, os.O_RDONLY), 0, time.perf_counter()
    while (took := time.perf_counter() - started) < seconds:
        new = os.open(folder / "new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(new, text)
        os.fsync(new)
        os.close(new)
        (folder / "new").rename(folder / f"p{done % pages}")
        os.fsync(place)
        done += 1
    os.close(place)
    return done / took


def write_site(root: Path, pages: int) -> None:
    """A site of small pages in ten folders."""
    (root / "site.yml").write_text("title: Bench\n")
    for n in range(pages):
        other = (n + 1) % pages
        file = root / f"docs/f{n % 10}/p{n}.mdx"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(n=n, other=other, folder=other % 10))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("there is no wrk: apt-get install wrk")
    with tempfile.TemporaryDirectory(dir=wanted.folder) as temporary:
        work = Path(temporary)
        root = work / "site"
        root.mkdir()
        write_site(root, wanted.pages)
        with serving(root, work) as server:
            measure(server, wanted, work)


def measure(server: Server, wanted: argparse.Namespace, work: Path) -> None:
    """Both loads in rounds, the raw loop in turn with them."""
    text = PAGE.format(n=0, other=1, folder=1)
    known = {"base": BASE, "key": server.key, "pages": wanted.pages}
    get = GET.format(**known)
    put = PUT.format(**known, text=text.replace('"', '\\\\"').replace("\n", "\\\\n"))
    gets, puts, raws = [], [], []
    for _ in range(wanted.rounds):
        gets.append(load(server, get, wanted.seconds, wanted.connections))
        raws.append(raw(work / "raw", text.encode(), wanted.seconds, wanted.pages))
        puts.append(load(server, put, wanted.seconds, wanted.connections))
    floor = statistics.median(raws)
    print(f"{wanted.pages} pages, {wanted.connections} connections, median of {wanted.rounds} rounds")
    for name, loads in (("GET", gets), ("PUT", puts)):
        rate, block = statistics.median(one.rate for one in loads), max(one.block for one in loads)
        against = f", {rate / floor:.2f} of a raw durable write ({floor:.0f}/s)" if name == "PUT" else ""
        print(f"{name} {rate:8.0f} requests/s{against}; the loop was blocked {block * 1000:.0f} ms at most")


if __name__ == "__main__":
    main()
