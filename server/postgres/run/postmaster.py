"""The server's first process: started, found again, watched and stopped.

It has a session of its own, so that neither Ctrl+C nor the death of the service ends it.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import time
from contextlib import nullcontext, suppress

from server.postgres.errors import EngineError, EngineFull, EngineStarting
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.processes import Postmaster, end_orphans, running
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.server_log import complaint, open_log
from server.postgres.run.service_locks import claimed
from server.postgres.run.user import RunAs
from server.postgres.server_settings import ServerSettings
from server.process.interrupts import breakable

START, ORPHANS = 60.0, 4.0
"""Seconds for a start, which may read the journal of a killed server, and for the end of its sessions."""
FAST, IMMEDIATE = 30.0, 15.0
"""Seconds for an orderly stop, and for one after which the next start reads the journal."""
TAKEN = "the port is used by another program"
HERE = "choose an address of this machine"
ELSEWHERE = "end that program, or choose another port: connection strings hold it, and change with it"
_PAUSE = 0.01
_PROGRAM = 256
"""MiB of addresses that the program and its libraries take."""


class _Started(subprocess.Popen[bytes]):
    def __del__(self) -> None:
        """A server outlives whoever has started it: that it still runs is worth no warning."""


_STARTED: list[_Started] = []
"""Those of this process, so that the operating system can forget them when they have ended."""


def start(place: ServerFiles, programs: PostgresPrograms, user: RunAs, settings: ServerSettings) -> None:
    """Start the server and wait until it takes connections. None may run yet.

    Raises EngineError with what the server said, EngineFull when its disk is full, and EngineStarting when it
    is not ready in time, which it may still become.
    """
    _forget()
    end_orphans(place, ORPHANS)
    # PostgreSQL would take any living process of that number and its own user for a server, and even one
    # that has ended and that nobody has waited for.
    for stale in (place.data / "postmaster.pid", *place.run.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)
    for address in settings.addresses:
        _check_free(address, settings.port)
    since = place.log.stat().st_size if place.log.exists() else 0
    with claimed(place, ORPHANS) as lock, open_log(place.log) as log:
        process = _Started(
            _command(place, programs, settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=(lock,),
            **user.options(),
        )
    _STARTED.append(process)
    _wait(process, place, since)


def await_ready(place: ServerFiles) -> Postmaster | None:
    """The server that runs, ready or waited for; None when there is none. Raises EngineStarting."""
    deadline = time.monotonic() + START
    while (found := running(place)) and not found.ready:
        if time.monotonic() > deadline:
            raise EngineStarting("the server is not ready yet", path=str(place.log), hint="try again")
        with breakable():
            time.sleep(_PAUSE)
    return found


def await_end(place: ServerFiles) -> None:
    """Wait until a server is gone that gives itself up, and stop it when it does not. Raises EngineError."""
    found = running(place)
    if found and not _gone(place, found.pid, time.monotonic() + IMMEDIATE):
        stop(place)
    _forget()


def stop(place: ServerFiles) -> None:
    """Stop the server: sessions end, what they have not committed is undone. Raises EngineError."""
    for number, patience in ((signal.SIGINT, FAST), (signal.SIGQUIT, IMMEDIATE)):
        found = running(place)
        if found is None:
            return _forget()
        with suppress(ProcessLookupError):
            os.kill(found.pid, number)
        if _gone(place, found.pid, time.monotonic() + patience):
            return _forget()
    raise EngineError("the server does not stop", path=str(place.log), hint="see what it says there")


def _forget() -> None:
    """Let the operating system forget those that we started and that have ended."""
    _STARTED[:] = [each for each in _STARTED if each.poll() is None]


def _gone(place: ServerFiles, pid: int, deadline: float) -> bool:
    while (found := running(place)) and found.pid == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True


def _wait(process: _Started, place: ServerFiles, since: int) -> None:
    deadline = time.monotonic() + START
    while process.poll() is None:
        found = running(place)
        if found and found.ready and found.pid == process.pid:
            return
        if time.monotonic() > deadline:
            message = f"the server is not ready after {START:.0f} seconds; it said: "
            message += complaint(place.log, since)
            raise EngineStarting(message, path=str(place.log), hint="it may be reading its journal; wait")
        # Not before it has written its file, by which whoever is to stop it finds it.
        with breakable() if found else nullcontext():
            time.sleep(_PAUSE)
    _forget()
    said = complaint(place.log, since)
    message = f"the server ended at its start; it said: {said}"
    if os.strerror(errno.ENOSPC) in said:
        raise EngineFull(message, path=str(place.log), hint="make room on its disk")
    raise EngineError(message, path=str(place.log), hint="see what it says there")


def _command(place: ServerFiles, programs: PostgresPrograms, settings: ServerSettings) -> list[str]:
    """The server, with a limit for each of its processes: who wants more gets an error, and goes on."""
    most = (settings.shared_buffers + settings.session_memory + _PROGRAM) * 1024
    limited = f'ulimit -v {most} && exec "$0" "$@"'
    return ["/bin/sh", "-c", limited, programs.path("postgres"), "-D", str(place.data)]


def _check_free(address: str, port: int) -> None:
    """PostgreSQL itself goes on when one of several addresses is taken."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            place = f"{address}:{port}"
            if error.errno == errno.EADDRINUSE:
                raise EngineError(TAKEN, path=place, hint=ELSEWHERE, settings=("port",)) from error
            message = f"nothing can listen here: {error.strerror}"
            raise EngineError(message, path=place, hint=HERE, settings=("listen",)) from error
