"""Ports for the servers of tests: each is given once, whichever of the processes that run tests asks."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """A port that nobody uses now, that no connection going out will get, and that no other test is given.

    A socket's name of its own stands for the port until the process that asked ends: a test may start its
    server later than it asks, and may start it again.
    """
    while True:
        port = random.randrange(10_000, 30_000)
        with suppress(OSError):
            return _taken(port)


def _taken(port: int) -> int:
    """The port, kept. Raises OSError when another test has it, or something listens there."""
    with socket.socket(socket.AF_UNIX) as kept, socket.socket() as probe:
        kept.bind(f"\0twinpress-test-port-{port}")
        probe.bind(("127.0.0.1", port))
        kept.detach()
    return port
