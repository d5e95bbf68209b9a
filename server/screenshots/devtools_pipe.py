"""Talk with a browser over two pipes in the Chrome DevTools Protocol: JSON texts, each with a NUL behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import msgspec

LARGEST = 64 * 1024**2
"""Bytes of a message from the browser."""

Said = Mapping[str, Any]
Heard = Callable[[str, Said], None]
"""Is told of an event: its name, and what it says."""


class DevtoolsError(Exception):
    """The browser refused a command."""


class DevtoolsPipe:
    """Commands go out, and answers and events come in. For one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Said]] = {}
        self.heard: Heard = lambda _name, _said: None

    @classmethod
    @asynccontextmanager
    async def of(cls, read: int, write: int) -> AsyncIterator[DevtoolsPipe]:
        """Use these descriptors, and close them at the end of the block."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LARGEST)
        incoming, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb", 0)
        )
        outgoing, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(write, "wb", 0)
        )
        pipe = cls(reader, asyncio.StreamWriter(outgoing, protocol, None, loop))
        listening = asyncio.create_task(pipe._listen())
        try:
            yield pipe
        finally:
            listening.cancel()
            await asyncio.wait([listening])
            if not outgoing.is_closing():
                outgoing.abort()
            incoming.close()

    async def ask(self, method: str, session: str = "", **parameters: object) -> Said:
        """Return the answer to a command. Raises DevtoolsError, and EOFError when the browser has ended."""
        answer: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._waiting[number] = answer
        try:
            await self._send(number, method, session, parameters)
            return await answer
        finally:
            self._waiting.pop(number, None)

    async def tell(self, method: str, session: str = "", **parameters: object) -> None:
        """Send a command whose answer does not matter. Raises ConnectionError."""
        await self._send(next(self._numbers), method, session, parameters)

    def give_up(self, error: Exception) -> None:
        """Have all commands that wait for an answer fail."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)

    async def _send(self, number: int, method: str, session: str, parameters: Said) -> None:
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._writer.write(msgspec.json.encode(message) + b"\0")
        await self._writer.drain()

    async def _listen(self) -> None:
        try:
            while True:
                data = await self._reader.readuntil(b"\0")
                self._take(msgspec.json.decode(data[:-1]))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, msgspec.DecodeError):
            self.give_up(EOFError("the browser has ended"))

    def _take(self, message: Said) -> None:
        waiting = self._waiting.get(message.get("id", 0))
        if waiting is None:
            if "method" in message:
                self.heard(message["method"], message.get("params", {}))
        elif not waiting.done():
            if "error" in message:
                waiting.set_exception(DevtoolsError(str(message["error"].get("message", ""))))
            else:
                waiting.set_result(message.get("result", {}))
