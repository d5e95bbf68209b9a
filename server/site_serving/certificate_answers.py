"""The question of the TLS proxy: may it have a certificate for this name?

Without it, anybody could have the proxy ask for certificates of any name, until its authority gives it none
any more. It is answered from the hosts in memory, so also while the service and its databases are down, and
without waiting for the disk: each handshake with a new name waits for it. Only a name that is not known is
looked for once more: it may be that of a site which was renamed just now.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress

from aiohttp import hdrs, web

from builder.errors import TwinpressError
from server.releases.hosts import Hosts, MountedHost
from server.site_serving.readers_door import BadHost, normal

HOST = "127.0.0.1"
"""The address at which the proxy asks: it is for programs of this machine alone."""
_LOOK = 0.1
"""Seconds between two looks at the hosts."""
_METHODS = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_HEADERS = {"Cache-Control": "no-store"}


class _KnownHosts:
    """The hosts as they could be read last, None before that."""

    def __init__(self, read: Callable[[], Awaitable[Hosts]]) -> None:
        self._read = read
        self.known: Mapping[str, MountedHost] | None = None

    async def watched(self, _: web.Application) -> AsyncIterator[None]:
        """Look again and again while the application runs."""
        await self._look()
        task = asyncio.create_task(self._watch())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def has(self, name: str) -> bool:
        """Return whether a site has this name, as far as whoever answers readers knows."""
        if name and name not in self._hosts:
            await self._look()
        return name in self._hosts

    @property
    def _hosts(self) -> Mapping[str, MountedHost]:
        return self.known or {}

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            await self._look()

    async def _look(self) -> None:
        with suppress(TwinpressError):  # who reads it for readers tells it
            self.known = (await self._read()).hosts


def certificate_app(read: Callable[[], Awaitable[Hosts]]) -> web.Application:
    """Return what answers `?domain=NAME`, at any path: 200 for a host of a site, and 404 for all others."""
    hosts = _KnownHosts(read)

    async def answer(request: web.Request) -> web.Response:
        if request.method not in _METHODS:
            return _said(405, "Only GET is possible here.")
        if hosts.known is None:
            return _said(503, "The hosts of sites cannot be read.")
        names = request.rel_url.query.getall("domain", [])
        is_known = len(names) == 1 and await hosts.has(_named(names[0]))
        return _said(200, "Yes.") if is_known else _said(404, "No.")

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    app.cleanup_ctx.append(hosts.watched)
    return app


def _named(text: str) -> str:
    try:
        return normal(text)
    except BadHost:
        return ""


def _said(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n", headers=_HEADERS)
