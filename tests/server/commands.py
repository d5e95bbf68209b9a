"""Run the installed command and talk to its preview over real HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.server.forked_command import ForkedCommand
from tests.server.http_client import request
from tests.waiting import PATIENCE, until

COMMAND = Path(sys.executable).with_name("twinpress")
"""Seconds after which something that should have happened is given up."""


def environment(**extra: str) -> dict[str, str]:
    """The test's own environment without what would change colours, annotations or buffers.

    A service serves sites by itself there: a process of their own would outlive those that tests kill.
    """
    names = ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "COLUMNS", "TWINPRESS_TRACEBACK")
    names += ("TWINPRESS_MASTER_KEYS", "TWINPRESS_MASTER_KEYS_FILE", "TWINPRESS_POSTGRES_DSN")
    names += ("TWINPRESS_DATA", "TWINPRESS_KEY", "PYTHONUNBUFFERED")
    own = {name: value for name, value in os.environ.items() if name not in names}
    return {"TWINPRESS_SITES_PROCESS": "inside", **own, **extra}


def twinpress(
    *arguments: str | Path, cwd: Path, given: str = "", patience: float = PATIENCE, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; `given` is its standard input."""
    env = environment(**extra)
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asked.write(given.encode())
        asked.seek(0)
        files = {"stdin": asked.fileno(), "stdout": out.fileno(), "stderr": err.fileno()}
        process = ForkedCommand([COMMAND, *arguments], cwd=cwd, env=env, **files)
        try:
            code = process.wait(patience)
        finally:
            process.kill()
        said = [_text(file) for file in (out, err)]
    return subprocess.CompletedProcess([COMMAND, *arguments], code, *said)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@dataclass(frozen=True, slots=True)
class Answer:
    """A response with its body read."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode()


@dataclass(slots=True)
class Preview:
    """A running `twinpress serve`."""

    process: subprocess.Popen[bytes] | ForkedCommand
    address: str = ""
    lines: list[str] = field(default_factory=list)
    """The lines that the terminal shows beside results, without empty ones."""
    results: list[str] = field(default_factory=list)
    """The same of standard output."""

    @property
    def port(self) -> int:
        """Return the port at which it listens."""
        found = re.search(r":(\d+)/", self.address)
        assert found, self.lines
        return int(found[1])

    def request(self, method: str, path: str, headers: dict[str, str] | None = None) -> Answer:
        """Ask once, with the path as it is."""
        return Answer(*request(self.port, method, path, (headers or {}).items()))

    def get(self, path: str, **headers: str) -> Answer:
        """GET; header names with `_` for `-`."""
        return self.request("GET", path, {name.replace("_", "-"): value for name, value in headers.items()})

    @contextmanager
    def states(self, page: str = "/") -> Iterator[Iterator[dict[str, object]]]:
        """The states that the event stream tells the page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/_tp/events?page={page}")
            response = connection.getresponse()
            assert response.status == 200, response.read()
            yield (
                json.loads(line[6:]) for line in iter(response.readline, b"") if line.startswith(b"data: ")
            )
        finally:
            connection.close()

    def says(self, words: str, patience: float = PATIENCE) -> str:
        """Wait until the terminal shows a line with these words, and give it."""

        def said() -> list[str]:
            return [line for line in (*self.lines, *self.results) if words in line]

        return until(said, patience, last=lambda: (words, self.lines))[0]

    def stop(self, number: int = signal.SIGINT) -> int:
        """Send the signal and wait for the end; gives the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(site: Path, *arguments: str, **extra: str) -> Iterator[Preview]:
    """A preview of `site` on a free port, ready to answer; it must end well and never show a traceback."""
    with running([COMMAND, "serve", site, *(arguments or ("--port", "0"))], **extra) as preview:
        yield preview


@contextmanager
def running(command: Sequence[str | Path], *, forked: bool = True, **extra: str) -> Iterator[Preview]:
    """The same, for a command that becomes `twinpress serve`.

    Our own is `forked`, unless that is not wanted: who measures its memory wants nothing else in it.
    """
    (results, shows), (lines, tells) = os.pipe(), os.pipe()
    env = environment(PYTHONUNBUFFERED="1", **extra)
    start = ForkedCommand if forked and command[0] == COMMAND else subprocess.Popen
    process = start(command, env=env, stdout=shows, stderr=tells)
    os.close(shows)
    os.close(tells)
    preview = Preview(process)
    read = {results: preview.results, lines: preview.lines}
    listeners = [threading.Thread(target=_listen, args=each, daemon=True) for each in read.items()]
    for listener in listeners:
        listener.start()
    try:
        found = re.search(r"http://\S+", preview.says(" is at "))
        assert found
        preview.address = found[0]
        preview.says("Ctrl+C stops")  # the last line of the greeting: what comes later is news
        yield preview
        if process.poll() is None:
            assert preview.stop() == 0, preview.lines
    except BaseException as error:
        error.add_note(f"the command's exit code is {process.poll()}; it said: {preview.lines}")
        raise
    finally:
        process.kill()
        process.wait()
        for listener in listeners:
            listener.join()
    assert not any("Traceback" in line for line in preview.lines), preview.lines


def _listen(descriptor: int, lines: list[str]) -> None:
    with os.fdopen(descriptor, encoding="utf-8") as stream:
        lines.extend(line.rstrip("\n") for line in stream if line.strip())
