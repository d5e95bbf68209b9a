"""The services that care for this process: it hears their words at its socket, and when they have gone.

See `serving_socket` for the words. All of it happens in the event loop: a word is a few bytes, and so is what
is sent back.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from server.process import unix_socket
from server.site_serving.serving_socket import WORDS, ServingState

Ending = Literal["stop", "retire"]

_LOOK = 2.0
"""Seconds between two looks at the name of the socket."""
_ALONE = 60.0
"""Seconds in which a process that may not be alone is to hear of a service."""
_STDERR = 2
_WORD = 64


class Carers:
    """Listens at `place`. `state` says how the process does, `sockets` are those that services may have.

    With `outlives` the process goes on when all services have been killed; else it ends with the last one.
    `ending` is done when it is to end, with how. For one event loop.
    """

    def __init__(
        self,
        place: Path,
        state: Callable[[], ServingState],
        sockets: Sequence[socket.socket],
        *,
        outlives: bool,
    ) -> None:
        self._place = place
        self._state = state
        self._sockets = sockets
        self._outlives = outlives
        self._loop = asyncio.get_running_loop()
        self.ending: asyncio.Future[Ending] = self._loop.create_future()
        self._listener = unix_socket.listening_at(place)
        self._listener.setblocking(False)
        self._own = place.stat().st_ino
        self._lines = set[socket.socket]()
        self._caring = dict[socket.socket, int]()
        self._loop.add_reader(self._listener, self._accept)
        self._timer = self._loop.call_later(_LOOK, self._look)
        if not outlives:
            self._loop.call_later(_ALONE, self._end_alone)

    def hide(self) -> None:
        """Have no service find this process any more: it is about to end."""
        self._timer.cancel()
        if self._listener.fileno() >= 0:
            self._loop.remove_reader(self._listener)
            self._listener.close()
            if self._is_own():
                self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of all services, too: they see by that that the process has ended."""
        self.hide()
        for line in list(self._lines):
            self._drop(line)

    def _look(self) -> None:
        """End where another process has taken the name, or the folder of the data is gone."""
        self._timer = self._loop.call_later(_LOOK, self._look)
        if not self._is_own():
            self._end("retire" if self._place.exists() else "stop")

    def _is_own(self) -> bool:
        try:
            return self._place.stat().st_ino == self._own
        except OSError:
            return False

    def _end(self, how: Ending) -> None:
        if not self.ending.done():
            self.ending.set_result(how)

    def _end_alone(self) -> None:
        if not self._caring:
            self._end("stop")

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            line, _ = self._listener.accept()
            line.setblocking(False)
            self._lines.add(line)
            self._loop.add_reader(line, self._hear, line)

    def _drop(self, line: socket.socket) -> None:
        self._lines.discard(line)
        self._loop.remove_reader(line)
        line.close()
        log = self._caring.pop(line, None)
        if log is not None:
            os.close(log)

    def _hear(self, line: socket.socket) -> None:
        try:
            data, descriptors, *_ = socket.recv_fds(line, _WORD, 1)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._gone(line)
            return
        try:
            for word in data.decode("ascii", "replace").split():
                if word in WORDS and line in self._lines:
                    self._obey(word, line, descriptors)
        except OSError:  # whoever asked has left
            self._gone(line)
        finally:
            for each in descriptors:
                os.close(each)

    def _obey(self, word: str, line: socket.socket, descriptors: Sequence[int]) -> None:
        if word == "look":
            line.send(self._said())
        elif word == "care":
            self._care(line, descriptors)
        elif word == "leave":
            self._leave(line)
        elif word == "retire":
            self._end("retire")
        else:
            self._end("stop")

    def _said(self) -> bytes:
        return msgspec.json.encode(self._state()) + b"\n"

    def _care(self, line: socket.socket, descriptors: Sequence[int]) -> None:
        if descriptors and line not in self._caring:
            self._caring[line] = os.dup(descriptors[0])
            os.dup2(descriptors[0], _STDERR)
        socket.send_fds(line, [self._said()], [each.fileno() for each in self._sockets])

    def _leave(self, line: socket.socket) -> None:
        """Let a service go; one that is the last sees by its connection when the process has ended."""
        if self._state().is_kept and not set(self._caring) - {line}:
            self._end("stop")
        else:
            self._gone(line)

    def _gone(self, line: socket.socket) -> None:
        """A service has ended, or was killed: the log goes to another one that cares, if there is one."""
        cared = line in self._caring
        self._drop(line)
        if self._caring:
            os.dup2(next(reversed(self._caring.values())), _STDERR)
        elif cared and not self._outlives:
            self._end("stop")
