"""A TCP proxy before a service that takes the network away at one request: before it arrives, or after."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Literal

from tests.waiting import PATIENCE

When = Literal["before", "after"]
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class CutProxy:
    """Lets so many requests through, and takes the network away at the next one: for good, or `once`."""

    def __init__(self, upstream: int) -> None:
        self._upstream = upstream
        self._lock = Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.allow(10**9)

    @property
    def port(self) -> int:
        """Return the port at which it listens."""
        return int(self._listener.getsockname()[1])

    def allow(self, requests: int, when: When = "before", *, once: bool = False) -> None:
        """Count from now on."""
        self._left, self._when, self._once = requests, when, once
        self.seen: list[bytes] = []
        self.meanwhile: Callable[[bytes], None] = lambda _: None

    def serve(self) -> None:
        """Take connections until the listener is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE)
                Thread(target=self._carry, args=(connection,), daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _is_cut(self, request: bytes) -> bool:
        with self._lock:
            self._left -= 1
            self.seen.append(request.split(b"\r\n", 1)[0])
            return self._left == -1 if self._once else self._left < 0

    def _carry(self, client: socket.socket) -> None:
        with (
            suppress(OSError),
            client,
            socket.create_connection(("127.0.0.1", self._upstream), PATIENCE) as server,
        ):
            while request := _message(client):
                cut = self._is_cut(request)
                self.meanwhile(request.split(b"\r\n", 1)[0])
                if cut and self._when == "before":
                    return
                server.sendall(request)
                answer = _message(server)
                if cut:
                    return
                client.sendall(answer)


def _message(source: socket.socket) -> bytes:
    """One request or answer, empty at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = source.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    wanted = int(length[1]) if length and not head.startswith(b"HTTP/1.1 304") else 0
    while len(body) < wanted:
        body += source.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def cut_proxy(upstream: int) -> Iterator[CutProxy]:
    """A proxy before the service at a port."""
    proxy = CutProxy(upstream)
    thread = Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
