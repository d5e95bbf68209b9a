"""The end of a process that another one replaces: a reader whose connection was just accepted is answered."""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.http.logged_request import LoggedRequest
from server.site_serving.read_counts import ReadCounts
from server.site_serving.run import Readers, ReadersSettings, open_sockets
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store


class Unheard:
    """Somebody who is told, and does not listen."""

    def fault(self, text: str) -> None:
        """Forget a fault."""

    def access(self, request: LoggedRequest) -> None:
        """Forget a request."""


@pytest.mark.parametrize("turns", range(6))
def test_a_reader_who_has_just_come_is_answered(tmp_path: Path, turns: int) -> None:
    """`turns` of the event loop lie between the reader's request and the end."""
    publish(release_store(tmp_path), {"index.html": b"page"})
    mount(tmp_path, {HOST: SITE})
    assert b" 200 " in asyncio.run(_answer(tmp_path, turns))


async def _answer(data: Path, turns: int) -> bytes:
    settings = ReadersSettings(data, "127.0.0.1", 0)
    sockets = open_sockets(settings, {})
    kept = [opened.dup() for _, opened in sockets]
    readers = Readers(settings, ReadCounts(), Unheard())
    async with readers.answering(sockets):
        with socket.create_connection(sockets[0][1].getsockname()[:2]) as line:
            line.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            line.settimeout(5)
            for _ in range(turns):
                await asyncio.sleep(0)
            await readers.retire()
            await readers.end()
            if _waits(kept):
                return b"left to the next process: 200 "
            return await asyncio.to_thread(line.recv, 1000)


def _waits(sockets: Sequence[socket.socket]) -> bool:
    """Return whether a connection is there that nobody has accepted."""
    with ExitStack() as stack:
        found = [stack.enter_context(each) for each in sockets]
        ready, _, _ = select.select(found, [], [], 0)
        return bool(ready)
