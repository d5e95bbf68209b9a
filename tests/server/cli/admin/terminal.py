"""A person in front of a terminal, who answers what a command asks."""

from __future__ import annotations

import os
import pty
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.server.commands import COMMAND, environment
from tests.waiting import PATIENCE


def typed(*words: str | Path, answer: str) -> tuple[int, str, str]:
    """Run the command in a terminal, where this is typed; gives exit code, result and what is seen."""
    person, terminal = pty.openpty()
    try:
        process = subprocess.Popen(
            [COMMAND, *words],
            env=environment(),
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        os.write(person, answer.encode())
        result, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, result.decode(), _rest(person)
    finally:
        os.close(person)


def _rest(person: int) -> str:
    """Return what the terminal shows; Linux says EIO when nobody can write there any more."""
    seen = b""
    with suppress(OSError):
        while more := os.read(person, 65_536):
            seen += more
    return seen.decode().replace("\r\n", "\n")
