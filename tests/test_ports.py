"""Two tests are never given one port, also by chance, and whatever process they run in."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).parents[1]
IN_TURN = "import random; random.seed('{}'); from tests.ports import free_port; print(free_port())"


def first_of(seed: str) -> int:
    """The port that is tried first after this seed."""
    return random.Random(seed).randrange(10_000, 30_000)


def given_after(seed: str) -> int:
    """Return the port that another process is given."""
    command = [sys.executable, "-c", IN_TURN.format(seed)]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_a_port_is_given_once_in_one_process_and_in_all() -> None:
    state = random.getstate()
    try:
        given = []
        for _ in range(2):
            random.seed("one port")
            given.append(free_port())
    finally:
        random.setstate(state)
    assert given[0] != given[1]
    assert given_after("one port") not in given


def test_a_port_that_something_listens_on_is_not_given() -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first_of("taken")))
        assert given_after("taken") != first_of("taken")
