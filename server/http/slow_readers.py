"""Watch that a client takes the answer that it is sent.

What it has not taken waits in our buffer and in that of the operating system. The latter is asked: a client
that takes little takes it there for a long time before anything moves in ours. Linux tells; where the system
does not, our own buffer has to do.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import sys
import termios

_AT_ONCE = struct.pack("ii", 1, 0)
UNSENT = 256 * 1024
"""Bytes that wait in the operating system for the network; it would take megabytes for each client."""

if sys.platform == "linux":
    _TCP_INFO = socket.TCP_INFO
    _ACKED = struct.Struct("=Q")
    _PLACE = 120
    """Where `struct tcp_info` has the number of bytes that the other side has confirmed (since Linux 4.1)."""


class UnreadBytes:
    """The bytes that wait for the client of one connection, as of the last `look`."""

    __slots__ = ("_socket", "_taken", "_transport", "since", "waits")

    def __init__(self, transport: asyncio.Transport, now: float) -> None:
        self._transport = transport
        self._socket = _tcp(transport)
        self._taken = 0
        self.waits = False
        """Whether there is anything that the client has yet to take."""
        self.since = now
        """When the client took something, or had nothing to take."""

    def look(self, now: float) -> None:
        """Look again."""
        unsent = self._transport.get_write_buffer_size()
        self.waits = unsent > 0 or _queued(self._socket) > 0
        taken = _confirmed(self._socket, -unsent) if self.waits else self._taken
        if not self.waits or taken != self._taken:
            self.since, self._taken = now, taken


def asks(transport: asyncio.Transport) -> bool:
    """Return whether something has come from the client that we have yet to read."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is None or connection.fileno() < 0:
        return False
    return any(fcntl.ioctl(connection.fileno(), termios.FIONREAD, b"\0\0\0\0"))


def bound(transport: asyncio.Transport) -> None:
    """Have an answer wait with us, where one that is not taken keeps the next from being made."""
    transport.set_write_buffer_limits(0)
    connection = _tcp(transport)
    if connection is not None and hasattr(socket, "TCP_NOTSENT_LOWAT"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)


def _tcp(transport: asyncio.Transport) -> socket.socket | None:
    """Return the socket; None for one that is a file, of which the system tells nothing of the kind."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    is_tcp = connection is not None and connection.family in {socket.AF_INET, socket.AF_INET6}
    return connection if is_tcp else None


def forget(transport: asyncio.Transport) -> None:
    """Have the operating system not try on to send what waits, when the connection is ended."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)


def _queued(connection: socket.socket | None) -> int:
    """Bytes that the other side has not confirmed."""
    if sys.platform != "linux" or connection is None or connection.fileno() < 0:
        return 0
    told = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
    return int.from_bytes(told, sys.byteorder)


def _confirmed(connection: socket.socket | None, otherwise: int) -> int:
    """A number that changes with each byte that the other side takes."""
    if sys.platform != "linux" or connection is None or connection.fileno() < 0:
        return otherwise
    told = connection.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _PLACE + _ACKED.size)
    return int(_ACKED.unpack_from(told, _PLACE)[0]) if len(told) >= _PLACE + _ACKED.size else otherwise
