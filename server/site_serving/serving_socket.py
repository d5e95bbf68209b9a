"""The socket at which the process for readers speaks with services, in the folder of the service's data.

    serving/8081.sock       the process at port 8081 listens here; its name leads to the newest one
    serving/8081.lock       held while a process is started for this port, or put in the place of another
    serving/previews/*      each service that runs answers for previews at a socket of its own

A service sends one word, with a descriptor where one belongs to it, and is answered one line of JSON:

    look      how the process does
    care      the same, with the sockets it listens at; it writes its log to the descriptor that came along,
              and takes the service to be there for as long as the connection is open
    leave     the service ends as it should: the process ends, too, unless another service cares for it
    retire    another process has taken over: accept nothing more, and end with the last connection
    stop      end now
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from builder.errors import TwinpressError
from server.process import unix_socket
from server.site_serving.read_counts import ReadCounts
from server.struct_types import prepare

FOLDER, PREVIEWS = "serving", "previews"
Word = Literal["look", "care", "leave", "retire", "stop"]
WORDS: frozenset[str] = frozenset(get_args(Word))
MOST_SOCKETS = 16
"""Descriptors that come along with an answer."""
_LONGEST = 64 * 1024
_STEP = 0.02
_CREDENTIALS = struct.Struct("3i")


class ServingState(Struct, frozen=True):
    """The state of a process for readers.

    `identity` is that of the version and the settings that a service has started it with, "" where somebody
    else has. `sockets` has the option of each socket that it listens at.
    """

    process: int
    identity: str
    version: str
    host: str
    port: int
    sockets: tuple[str, ...]
    counts: ReadCounts

    @property
    def is_kept(self) -> bool:
        """True if a service has started it, and may end it."""
        return bool(self.identity)


class NoAnswer(TwinpressError):
    """The process for readers does not answer as it should."""


prepare(ServingState)


def socket_of(data: Path, port: int) -> Path:
    """Return the name of the socket of the process at a port."""
    return data / FOLDER / f"{port}.sock"


def ports_of(data: Path) -> Sequence[int]:
    """Return the ports at which there is, or was, a process for the readers of this data."""
    names = (path.stem for path in (data / FOLDER).glob("*.sock"))
    return sorted(int(name) for name in names if name.isdigit())


class ServingClient:
    """A connection to the process for readers, for one thread at a time."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    @classmethod
    def connect(cls, data: Path, port: int, seconds: float) -> ServingClient | None:
        """Reach the process at a port; None where there is none. Raises OSError."""
        line = unix_socket.connected_to(socket_of(data, port), seconds)
        return cls(line) if line is not None else None

    @property
    def process(self) -> int:
        """The number of the process, also of one that does not answer; 0 where the system does not tell."""
        if not hasattr(socket, "SO_PEERCRED"):
            return 0
        found = self._line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        number: int = _CREDENTIALS.unpack(found)[0]
        return number

    def fileno(self) -> int:
        """Return the descriptor; after `care`, it has something to read when the process has ended."""
        return self._line.fileno()

    def ask(self, word: Word, descriptors: Sequence[int] = ()) -> tuple[ServingState, Sequence[int]]:
        """Send a word; gives the answer, and the descriptors that came along. Raises NoAnswer."""
        found: list[int] = []
        try:
            socket.send_fds(self._line, [word.encode() + b"\n"], descriptors)
            return msgspec.json.decode(self._answer(found), type=ServingState), found
        except (OSError, msgspec.DecodeError) as error:
            _close(found)
            raise NoAnswer(f"the process that serves published sites does not answer: {error}") from None

    def care(self, log: int | None) -> tuple[ServingState, list[tuple[str, socket.socket]]]:
        """Care for the process, which writes its log to a descriptor; without one, only look at its sockets.

        Gives the sockets, each with what it is for. Raises NoAnswer.
        """
        state, descriptors = self.ask("care", () if log is None else (log,))
        found = [socket.socket(fileno=each) for each in descriptors]
        return state, list(zip(state.sockets, found, strict=True))

    def say(self, word: Word) -> None:
        """Send a word that has no answer; a process that has ended hears none."""
        try:
            self._line.sendall(word.encode() + b"\n")
        except OSError:
            return

    def _answer(self, descriptors: list[int]) -> bytes:
        data = b""
        while not data.endswith(b"\n"):
            piece, more, *_ = socket.recv_fds(self._line, _LONGEST, MOST_SOCKETS)
            descriptors.extend(more)
            if not piece or len(data) > _LONGEST:
                raise ConnectionResetError("it has ended")
            data += piece
        return data

    def is_over(self) -> bool:
        """Return whether the process has let go of the connection; nothing may be left to be read."""
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        try:
            return bool(poll.poll(0)) and not self._line.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def waits_for_end(self, seconds: float) -> bool:
        """Wait so long at most for the end of the process; True where it has ended."""
        until = time.monotonic() + seconds
        while not self.is_over():
            if time.monotonic() >= until:
                return False
            time.sleep(_STEP)
        return True

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()


def _close(descriptors: Sequence[int]) -> None:
    for each in descriptors:
        os.close(each)


def look(data: Path, port: int, seconds: float) -> ServingState | None:
    """Ask how the process at a port does; None where there is none. Raises NoAnswer and OSError."""
    client = ServingClient.connect(data, port, seconds)
    if client is None:
        return None
    try:
        return client.ask("look")[0]
    finally:
        client.close()
