"""The first query of a reader on slow 4G: seconds and bytes from the key that opens the search to results."""

from __future__ import annotations

import functools
import gzip
import statistics
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from builder.search import Part

LATENCY, BYTES_PER_SECOND = 150, 1_600_000 / 8
"""Milliseconds and speed of slow 4G as Lighthouse has it."""
QUERIES = 10
WORDY = (
    "What is in it and how do I use it for the {}",
    "How to {} with all of your files",
)
"""Around a title: what costs most files of terms, a question of many small and common words."""
FIRST = """async (query) => {
  const until = (there) => new Promise((done) => {
    const look = () => (there() ? done(performance.now()) : setTimeout(look, 2));
    look();
  });
  const began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
  const opened = await until(() => document.querySelector("dialog[open] input"));
  const field = document.querySelector("dialog input");
  field.value = query;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const found = await until(() => document.querySelector("[role=option]"));
  return [opened - began, found - began];
}"""
"""Press the key, type at once, wait for results: the reader who is faster than any."""


def cold(browser: Browser, folder: Path, parts: Sequence[Part]) -> Iterator[str]:
    """Lines of the report: medians over queries that are titles, and over questions around them."""
    titles = [part.title for part in parts[:: max(1, len(parts) // QUERIES)]][:QUERIES]
    with _served(folder) as address:
        yield from _report([_run(browser, folder, address, query) for query in titles])
        yield "  questions of many small and common words"
        wordy = [question.format(title) for title in titles[:4] for question in WORDY]
        yield from _report([_run(browser, folder, address, query) for query in wordy])


def _report(runs: Sequence[tuple[float, float, int, int, float]]) -> Iterator[str]:
    """Each run by a reader who was never there."""
    opened, found, transferred, files, warm = (sorted(values) for values in zip(*runs, strict=True))
    yield f"  slow 4G: opened in {statistics.median(opened):.0f} ms"
    yield f"  from the key to results {statistics.median(found):.0f} ms, at most {found[-1]:.0f} ms"
    kilobytes = statistics.median(transferred) / 1000, transferred[-1] / 1000
    yield "  transferred {:.0f} KB, at most {:.0f} KB".format(*kilobytes)
    yield f"  in {statistics.median(files):.0f} requests"
    yield f"  warm {statistics.median(warm):.1f} ms, 95 of 100 within {_most(warm):.1f} ms"


def _most(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def _run(browser: Browser, folder: Path, address: str, query: str) -> tuple[float, float, int, int, float]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/docs/")
    sizes = _counted(page, folder)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    conditions = {"offline": False, "latency": LATENCY, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", conditions | {"downloadThroughput": BYTES_PER_SECOND})
    opened, found = page.evaluate(FIRST, query)
    warm = page.evaluate(
        """async (query) => {
      const field = document.querySelector("dialog input");
      const began = performance.now();
      document.querySelector("[role=listbox]").replaceChildren();
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      while (!document.querySelector("[role=option]")) await new Promise((done) => setTimeout(done));
      return performance.now() - began;
    }""",
        query,
    )
    context.close()
    return opened, found, sum(sizes), len(sizes), warm


def _counted(page: Page, folder: Path) -> list[int]:
    """The sizes of all files that the page asks for from now on, compressed: of the search, and twins."""
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(len(_compressed(_file(folder, response.url)))))
    return sizes


def _file(folder: Path, url: str) -> Path:
    return folder / urlsplit(url).path.lstrip("/")


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6, mtime=0)


class _Host(SimpleHTTPRequestHandler):
    """A static host as there are: connections are kept, files are compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send the file that the address names."""
        found = Path(self.translate_path(self.path))
        file = found / "index.html" if found.is_dir() else found
        if not file.exists():
            return self.send_error(404)
        data = _compressed(file)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Host, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
