"""A signal while `twinpress host` starts: it ends soon, leaves no PostgreSQL, and the next start goes on."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.server.commands import COMMAND, environment
from tests.server.service.hosting import hosting
from tests.server.service.place import postmaster
from tests.waiting import PATIENCE, until

ENDING = 5.0
"""Seconds that a process gets whose last work is done."""
BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
ONE = pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
"""Ctrl+C is the same signal by another number: where both are held at one step, the others are for nights."""


@contextmanager
def starting(data: Path, *arguments: str, **extra: str) -> Iterator[subprocess.Popen[str]]:
    """A service that starts, as a group of processes of its own."""
    process = subprocess.Popen(
        [COMMAND, "host", "--data", data, "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1", **extra),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    """Its first words; from then on, everything is its own work."""
    assert process.stderr
    return process.stderr.readline()


def assert_ends(process: subprocess.Popen[str], number: int, data: Path) -> None:
    """It ends soon with this signal, and nothing of it is left."""
    os.kill(process.pid, number)
    _, rest = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in rest, "rror" in rest) == (0, False, False), rest
    with suppress(AssertionError):  # PostgreSQL takes its number away just before it ends
        until(lambda: not left(data), ENDING)
    assert left(data) == []
    assert not list(data.glob("postgres/new-*"))


def left(data: Path) -> list[str]:
    """The command lines of processes that work in a data folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or may not be looked at
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            # One without a command line has given its memory back already, and is about to be gone.
            if line and (str(data) in line or (process / "cwd").readlink().is_relative_to(data)):
                found.append(line)
    return found


@ONE
@pytest.mark.parametrize(
    "seconds", [0.2, *(pytest.param(each, marks=pytest.mark.slow) for each in (0.0, 0.05, 0.5, 1.0))]
)
def test_a_signal_at_any_time_of_the_first_start_ends_it_and_the_next_one_goes_on(
    data: Path, number: signal.Signals, seconds: float
) -> None:
    with starting(data) as process:
        said(process)
        time.sleep(seconds)  # whatever it has come to by then
        assert_ends(process, number, data)
    with hosting(data) as service:
        service.client().create()


PLACES: dict[str, Callable[[Path], bool]] = {
    "initdb works": lambda data: any(data.glob("postgres/new-*/C*/global/pg_control")),
    "PostgreSQL starts": lambda data: (data / "postgres/data/twinpress.conf").exists(),
    "PostgreSQL has its number": lambda data: (data / "postgres/data/postmaster.pid").exists(),
}


@ONE
@pytest.mark.parametrize("place", PLACES)
def test_a_signal_while_it_sets_postgres_up_leaves_none(
    data: Path, number: signal.Signals, place: str
) -> None:
    with starting(data) as process:
        until(lambda: PLACES[place](data))
        assert_ends(process, number, data)
    with hosting(data):
        pass


def test_ctrl_c_in_the_terminal_which_initdb_hears_too_is_no_failure(data: Path) -> None:
    with starting(data) as process:
        until(lambda: PLACES["initdb works"](data))
        os.killpg(process.pid, signal.SIGINT)
        assert_ends(process, 0, data)


@ONE
def test_a_signal_while_another_service_is_waited_for_ends_it(data: Path, number: signal.Signals) -> None:
    with hosting(data) as service, (data / "postgres/turn.lock").open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with starting(data) as process:
            said(process)
            time.sleep(0.3)
            process.send_signal(number)
            _, rest = process.communicate(timeout=PATIENCE)
            assert (process.returncode, rest) == (0, "")
        fcntl.flock(turn, fcntl.LOCK_UN)
        assert service.is_ready()
    assert postmaster(data) is None


@ONE
def test_a_signal_while_postgres_mends_what_a_crash_has_left_ends_both(
    data: Path, number: signal.Signals
) -> None:
    with hosting(data) as service:
        service.client().create()
        found = postmaster(data)
        assert found
        service.kill()
        os.kill(found, signal.SIGKILL)
    with starting(data) as process:
        until(lambda: postmaster(data) not in {None, found})
        assert_ends(process, number, data)
    with hosting(data):
        pass


@BOTH
def test_a_signal_while_a_server_elsewhere_does_not_answer_ends_it(
    data: Path, number: signal.Signals
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"postgresql://admin:secret@127.0.0.1:{silent.getsockname()[1]}/postgres"
        with starting(data, TWINPRESS_POSTGRES_DSN=dsn) as process:
            said(process)
            time.sleep(0.3)
            assert_ends(process, number, data)
