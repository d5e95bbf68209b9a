"""Clients that ask again and again on a connection, and never read what they are answered.

    python -m tests.server.http.deaf PORT PATH COUNT

It keeps COUNT of them open, in place of each one that the server ends another, until its input is closed.
It says `open` when all of them have asked, and at its end how many it has opened.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.waiting import PATIENCE

ASKED = 200
"""Requests that are sent at once on each connection: their answers fill all buffers on the way."""


def ask(port: int, path: str) -> socket.socket:
    """A connection with all its requests on their way."""
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.setblocking(False)
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * ASKED
    with suppress(OSError):  # it has been ended already, which is noticed as with any other
        connection.send(request)
    return connection


def keep_open(port: int, path: str, count: int) -> int:
    """Ask with so many connections until standard input ends; gives how many were opened."""
    opened = {one.fileno(): one for one in (ask(port, path) for _ in range(count))}
    total = count
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    for number in opened:
        poll.register(number, select.POLLRDHUP)
    print("open", flush=True)
    while True:
        for number, _ in poll.poll():
            if number == sys.stdin.fileno():
                return total
            poll.unregister(number)
            opened.pop(number).close()
            another = ask(port, path)
            opened[another.fileno()] = another
            poll.register(another, select.POLLRDHUP)
            total += 1


@contextmanager
def deaf(port: int, path: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """Such clients in a process of their own, for the time of the block."""
    command = [sys.executable, "-m", "tests.server.http.deaf", str(port), path, str(count)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=dict(os.environ)
    )
    assert process.stdin
    assert process.stdout
    try:
        assert process.stdout.readline() == "open\n"
        yield process
        assert process.poll() is None, "the attack ended by itself"
        process.stdin.close()
        print(process.stdout.readline(), end="")
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    print(f"opened {keep_open(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))} connections")
