"""Run a web application on connections of our own kind, within the files that a server may have open."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import cast

from aiohttp import web
from msgspec.structs import replace

from server.http import refusal, request_id
from server.http.api_target import is_asked
from server.http.connection import Connection
from server.http.connection_room import SPARE, Room, Wire
from server.http.failure import Failure
from server.http.logged_request import Log, LoggedRequest, client_of, shown
from server.http.page_log import PAGE

WANTED = 4_096
OTHERS = 256
"""What is open beside connections: databases, journals, watched folders, pipes to other processes."""
EACH = 2 * SPARE
"""For each connection: the file that is sent on it, or a connection to published sites, another server."""


def fitting(wire: Wire, tell: Callable[[str], None], each: int = EACH) -> Wire:
    """No more connections than there can be files open; the operating system is asked for more of these.

    A connection may need `each` of them.
    """
    files = _raised()
    most = max(1, (files - OTHERS) // each)
    if most >= wire.connections:
        return wire
    tell(f"Only {most:,} connections may be open: the system allows {files:,} open files (see `ulimit -n`).")
    return replace(wire, connections=most)


def _raised() -> int:
    """The limit of this process, which it may raise to a certain height."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return WANTED
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted, soft)


class Server(web.Server):
    """Makes a connection for each client, and answers as `plain` does, whom a client may ask so often."""

    def __init__(self, plain: web.Server, wire: Wire, tell: Callable[[str], None], log: Log) -> None:
        super().__init__(self._answer, request_factory=plain.request_factory)
        self._plain = plain.request_handler
        self._room = Room(wire)
        self._tell = tell
        self._log = log

    def __call__(self) -> Connection:
        """A new connection."""
        return Connection(self, self._room, self._tell, self._log)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = cast(Connection, request.protocol)
        try:
            connection.begin(request)
            if connection.address and not is_asked(request):  # the API knows by itself who has no key
                self._room.wire.visitors.take(connection.address)
        except Failure as failure:
            return self._refused(request, failure)
        return await self._plain(request)

    def _refused(self, request: web.BaseRequest, failure: Failure) -> web.Response:
        response = refusal.answer(failure)
        id = response.headers[request_id.HEADER]
        self._log(
            LoggedRequest(
                id,
                request.method,
                shown(request.path_qs) if is_asked(request) else PAGE,
                failure.status,
                0.0,
                "",
                client=client_of(request),
            )
        )
        return response


class Runner(web.AppRunner):
    """Connections of our own: `tell` is told faults of ours, `log` what was no request, or too much.

    `goodbye` is how many seconds running requests have to come to their end.
    """

    def __init__(
        self,
        app: web.Application,
        tell: Callable[[str], None],
        log: Log,
        goodbye: float,
        wire: Wire | None = None,
    ) -> None:
        super().__init__(app, shutdown_timeout=goodbye)
        self._wire = fitting(wire or Wire(), tell)
        self._tell = tell
        self._log = log

    async def _make_server(self) -> Server:
        return Server(await super()._make_server(), self._wire, self._tell, self._log)
