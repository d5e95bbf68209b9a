"""Answers whose headers are bytes already: aiohttp would put them together anew for each request.

Only `prepare`, `write_eof` and what the connection asks of an answer are replaced, all of them public.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from email.utils import formatdate
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.abc import AbstractStreamWriter
from msgspec import Struct

Headers = Sequence[tuple[str, str]]

_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\nDate: ".encode() for status in HTTPStatus
}
_CLOSE, _KEEP = b"\r\nConnection: close\r\n", b"\r\nConnection: keep-alive\r\n"


def encoded(headers: Headers) -> bytes:
    """Return headers as they are sent. They are of our own making: no value has a line break."""
    return "".join(f"{name}: {value}\r\n" for name, value in headers).encode("ascii", "strict")


class _Clock:
    """The value of `Date`, made once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._text = b""

    def date(self) -> bytes:
        now = int(time.time())
        if now != self._second:
            self._second, self._text = now, formatdate(now, usegmt=True).encode()
        return self._text


_CLOCK = _Clock()


class ShownPage(Struct, frozen=True):
    """The page that an answer shows, by its address; its markdown twin is for machines."""

    page: str
    is_for_machines: bool


class RawAnswer(web.StreamResponse):
    """`head` are the headers but for `Date` and `Connection`, with the length of the body."""

    shown: ShownPage | None = None
    """The page that a reader has with this answer, None where there is none."""

    def __init__(self, status: int, head: bytes, body: bytes | memoryview = b"") -> None:
        super().__init__(status=status)
        self._raw_head = head
        self._raw_body = body
        self._stays: bool | None = None

    @property
    def keep_alive(self) -> bool | None:
        """True if the connection is for further requests."""
        return self._stays

    def force_close(self) -> None:
        """End the connection after this answer."""
        self._stays = False

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send the headers, and the body with them."""
        writer = request.writer
        is_head = request.method == hdrs.METH_HEAD
        await writer.write(self._beginning(request) + (b"" if is_head else self._raw_body))
        if not is_head:
            await self._send_rest(writer)
        # What a client does not take waits with the first answers: none is made that nobody reads.
        await writer.drain()
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """All has been sent."""

    def _beginning(self, request: web.BaseRequest) -> bytes:
        if self._stays is None:
            self._stays = request.keep_alive
        kept = b"\r\n" if request.version.minor else _KEEP
        connection = kept if self._stays else _CLOSE
        return b"".join((_LINES[self.status], _CLOCK.date(), connection, self._raw_head, b"\r\n"))

    async def _send_rest(self, writer: AbstractStreamWriter) -> None:
        """Send what is not in memory."""


class PiecesAnswer(RawAnswer):
    """An answer whose body comes in pieces; it is cut off where these end too soon."""

    def __init__(self, status: int, head: bytes, length: int, pieces: AsyncIterator[bytes]) -> None:
        super().__init__(status, head)
        self._length = length
        self._pieces = pieces

    async def _send_rest(self, writer: AbstractStreamWriter) -> None:
        left = self._length
        async for piece in self._pieces:
            await writer.write(piece)
            await writer.drain()
            left -= len(piece)
        if left:
            self.force_close()
