"""A service in a process of its own, for tests that kill it or let it be somebody else.

    python -m tests.server.postgres.starter FOLDER PORT [USER]

It says `ready` with its server's pid, and stops when its standard input ends.
"""

from __future__ import annotations

import json
import os
import pwd
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from server.postgres.errors import EngineError
from server.postgres.run.embedded import embedded
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.server_settings import ServerSettings
from tests.server.postgres.clusters import PASSWORD
from tests.waiting import PATIENCE


@contextmanager
def service(
    folder: Path, port: int, user: str = "", extra: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A service that has said that it is ready; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server.postgres.starter", folder, str(port), user],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(extra or {})},
    )
    try:
        with process:
            yield process
            process.kill()
    finally:
        process.kill()


def said(process: subprocess.Popen[str]) -> Any:
    """Return what the service says next."""
    assert process.stdout
    return json.loads(process.stdout.readline())


def end(process: subprocess.Popen[str], number: int = signal.SIGINT) -> int:
    """End it by a signal, and give its exit code."""
    process.send_signal(number)
    return process.wait(PATIENCE)


def main(folder: str, port: str, user: str) -> None:
    """Run until standard input ends, or Ctrl+C."""
    if user:
        entry = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    place = ServerFiles(Path(folder))
    try:
        with embedded(place.root, ServerSettings(port=int(port), shared_buffers=16), PASSWORD) as engine:
            found = running(place)
            print(json.dumps({"pid": found and found.pid, "user": engine.user.name}), flush=True)
            _until_told()
    except EngineError as error:
        print(json.dumps({"error": str(error)}), flush=True)
    except KeyboardInterrupt:
        sys.exit(130)


def _until_told() -> None:
    """Wait until standard input ends.

    Python hears a signal before it begins to wait, or while it waits; one in between would be heard when the
    wait ends, so that each is short.
    """
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
