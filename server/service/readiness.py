"""The answers to probes: `/healthz` says whether databases are served, `/readyz` whether requests may come.

Neither needs a key. `/healthz` asks nobody. `/readyz` also sees that the control database can be written: on
a full or broken disk a service that reads well refuses every change.

Apart from `run`, which listens: it asks a service that runs, and knows no port.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal

from aiohttp import web
from msgspec import Struct

from server.control.errors import DatabaseError
from server.control.sqlite.saved_choice import keep
from server.http import envelope
from server.http.failure import Failure
from server.service.wiring import Service

HEALTH, READY = "/healthz", "/readyz"
WRITTEN = "ready:written"
"""The setting that is written to see that it can be."""
FRESH, PATIENCE = 2.0, 2.0
"""Seconds for which an attempt to write counts, and those that one may take."""
_STARTING = "the service is starting, or the database server cannot be reached"
_BUSY = "the control database could not be written within %g s"
_AGAIN = {"Retry-After": "1"}


class Checks(Struct, frozen=True):
    """The answer of `/readyz` when all is well; `databases` is `none` where the service hosts none.

    `sites` says whether published sites are served, by whatever process: others may do so while this one does
    not.
    """

    ready: bool
    control: Literal["ok"]
    databases: Literal["ok", "none"]
    sites: Literal["ok", "away"]


class Readiness:
    """Looks after what requests need; for one event loop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._attempt: asyncio.Future[None] | None = None
        self._begun = 0.0

    def add_routes(self, app: web.Application) -> None:
        """Answer to probes, GET and HEAD."""
        app.router.add_get(HEALTH, self._health)
        app.router.add_get(READY, self._ready)

    async def _health(self, _: web.Request) -> web.Response:
        if self._service.is_ready():
            return envelope.success({"ready": True})
        return envelope.refusal(Failure("ENGINE_UNAVAILABLE", _STARTING, _AGAIN))

    async def _ready(self, _: web.Request) -> web.Response:
        if not self._service.is_ready():
            return envelope.refusal(Failure("ENGINE_UNAVAILABLE", _STARTING, _AGAIN))
        if refused := await self._unwritten():
            return envelope.refusal(Failure("TOO_BUSY", refused, _AGAIN))
        databases, sites = self._service.hosting, self._service.sites.state()
        return envelope.success(Checks(True, "ok", "ok" if databases else "none", "ok" if sites else "away"))

    async def _unwritten(self) -> str:
        """Say why the control database cannot be written; "" when it can. Probes share an attempt."""
        now = time.monotonic()
        if self._attempt is None or (self._attempt.done() and now - self._begun > FRESH):
            self._begun = now
            self._attempt = asyncio.ensure_future(asyncio.to_thread(self._write))
        done, _ = await asyncio.wait([self._attempt], timeout=PATIENCE)
        if not done:
            return _BUSY % PATIENCE
        error = self._attempt.exception()
        if error is not None and not isinstance(error, DatabaseError):
            raise error
        return f"the control database cannot be written: {error.message}" if error else ""

    def _write(self) -> None:
        keep(self._service.desk.database, WRITTEN, str(int(time.time())))
