"""Find PostgreSQL's processes on one data directory.

A number in `postmaster.pid` proves nothing: its process may have died, and another one have got the number.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from server.postgres.errors import EngineError
from server.postgres.run.server_files import ServerFiles, read_file

PROCESSES = Path("/proc")
NAME = "postgres"
_PAUSE = 0.01
_PARENT, _COMPUTED, _BEGAN = 1, 11, 19
"""Places of `ppid`, `utime` and `starttime` in `/proc/PID/stat`, behind the program's name."""


class Postmaster(Struct, frozen=True):
    """A live postmaster, as its file tells of it."""

    pid: int
    port: int
    ready: bool
    """Whether it takes connections; else it is starting or stopping."""


def running(place: ServerFiles) -> Postmaster | None:
    """The postmaster of this data directory that is alive now."""
    lines = (read_file(place.data / "postmaster.pid") or "").splitlines()
    # The file is written in steps: the pid comes first, the status last.
    if not lines or not lines[0].isdigit() or not is_server(int(lines[0]), place):
        return None
    port = int(lines[3]) if len(lines) > 3 and lines[3].isdigit() else 0
    return Postmaster(int(lines[0]), port, ready=len(lines) > 7 and lines[7].strip() == "ready")


def is_server(pid: int, place: ServerFiles) -> bool:
    """Return whether this process is PostgreSQL, works in this data directory and belongs to its owner."""
    process = PROCESSES / str(pid)
    try:
        # One that has ended and is not waited for yet has no working directory any more.
        works_here = (process / "cwd").readlink() == place.data
        named = (process / "comm").read_text(encoding="utf-8").strip() == NAME
        return works_here and named and process.stat().st_uid == place.data.stat().st_uid
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return False


def end_orphans(place: ServerFiles, patience: float) -> None:
    """End the sessions that a killed postmaster has left: they hold its shared memory, and would go on
    with what they do. Raises EngineError when they do not end within `patience` seconds.
    """
    for number, end in ((signal.SIGQUIT, patience / 2), (signal.SIGKILL, patience / 2)):
        if _ended(place, number, time.monotonic() + end):
            return
    message = "processes of a server that was killed do not end"
    raise EngineError(message, path=str(place.data), hint=f"end them: {_servers(place)}")


def check_processes() -> None:
    """Raise EngineError where processes cannot be looked at."""
    if not (PROCESSES / "self" / "cwd").exists():
        hint = "run PostgreSQL by other means, and name it as an external server"
        raise EngineError("a server can be run on Linux only: there is no /proc", hint=hint)


def _ended(place: ServerFiles, number: int, deadline: float) -> bool:
    asked: set[int] = set()
    while left := _servers(place):
        for pid in left - asked:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        asked |= left
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True


def _servers(place: ServerFiles) -> set[int]:
    numbers = (int(each.name) for each in PROCESSES.iterdir() if each.name.isdigit())
    return {pid for pid in numbers if is_server(pid, place)}


class Stat(Struct, frozen=True):
    """A process at one moment. Times are ticks of the kernel's clock, a hundredth of a second mostly.

    `computed` is the time in the program itself: what the kernel does for it, such as writing a file, is not
    in it. `began` tells the process from another one that has got its number later.
    """

    parent: int
    computed: int
    began: int


def stat(pid: int) -> Stat | None:
    """A process that is alive; None when there is none of that number, or it may not be looked at."""
    try:
        text = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return None
    # The name stands in brackets and may hold any sign, brackets among them.
    fields = text.rpartition(")")[2].split()
    return Stat(int(fields[_PARENT]), int(fields[_COMPUTED]), int(fields[_BEGAN]))
