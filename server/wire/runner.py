"""Runs a web application on connections of our own kind, and not on too many of them."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from server.api.access import Log
from server.wire.connection import Connection, Wire


class Server(web.Server):
    """Makes a connection for each client, and answers as `plain` does."""

    def __init__(self, plain: web.Server, wire: Wire, tell: Callable[[str], None], log: Log) -> None:
        super().__init__(plain.request_handler, request_factory=plain.request_factory)
        self._wire = wire
        self._tell = tell
        self._log = log

    def __call__(self) -> Connection:
        """A new connection."""
        return Connection(self, self._wire, self._room, self._tell, self._log)

    def _room(self) -> bool:
        """Whether one more may be open; the oldest that does nothing makes way for it."""
        connections = [one for one in self.connections if one.transport is not None]
        if len(connections) < self._wire.connections:
            return True
        for one in connections:
            if isinstance(one, Connection) and one.idle:
                one.force_close()
                return True
        return False


class Runner(web.AppRunner):
    """Connections of our own: `tell` is told faults of ours, `log` what was no request.

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
        self._wire = wire or Wire()
        self._tell = tell
        self._log = log

    async def _make_server(self) -> Server:
        return Server(await super()._make_server(), self._wire, self._tell, self._log)
