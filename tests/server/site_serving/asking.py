"""A running `twinpress sites`, and requests to it by the names of hosts."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.server.commands import COMMAND, Answer, Preview, running
from tests.server.http_client import request
from tests.server.site_serving.published import HOST
from tests.waiting import PATIENCE

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True, slots=True)
class Readers:
    """The process for readers."""

    process: Preview

    @property
    def port(self) -> int:
        """Return the port at which it listens."""
        return self.process.port

    def get(self, path: str, host: str = HOST, method: str = "GET", **headers: str) -> Answer:
        """Ask once; header names with `_` for `-`."""
        return self.ask(
            path, [("Host", host), *((name.replace("_", "-"), headers[name]) for name in headers)], method
        )

    def ask(self, path: str, headers: Iterable[tuple[str, str | bytes]], method: str = "GET") -> Answer:
        """Ask once with exactly these headers."""
        return Answer(*request(self.port, method, path, headers))

    def told(self, words: str) -> list[str]:
        """The lines of its log with these words."""
        return [line for line in self.process.lines if words in line]


@contextmanager
def serving_sites(data: Path, *arguments: str | Path) -> Iterator[Readers]:
    """Run `twinpress sites` over a folder of data; it must end well and never show a traceback."""
    with serving("--data", data, *arguments) as readers:
        yield readers


@contextmanager
def serving(*arguments: str | Path) -> Iterator[Readers]:
    """Run `twinpress sites` with these arguments; as `serving_sites`."""
    with running([COMMAND, "sites", "--port", "0", *arguments]) as process:
        yield Readers(process)


@contextmanager
def connection(readers: Readers) -> Iterator[http.client.HTTPConnection]:
    """A connection for several requests."""
    opened = http.client.HTTPConnection("127.0.0.1", readers.port, timeout=PATIENCE)
    try:
        yield opened
    finally:
        opened.close()
