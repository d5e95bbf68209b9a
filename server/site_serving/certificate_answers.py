"""The question of the TLS proxy: may it have a certificate for this name?

Without it, anybody could have the proxy ask for certificates of any name, until its authority gives it none
any more. It is answered from the hosts in memory, so also while the service and its databases are down.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web

from builder.errors import TwinpressError
from server.releases.hosts import Hosts
from server.site_serving.readers_door import BadHost, normal

HOST = "127.0.0.1"
"""The address at which the proxy asks: it is for programs of this machine alone."""
_METHODS = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_HEADERS = {"Cache-Control": "no-store"}


def certificate_app(hosts: Callable[[], Awaitable[Hosts]]) -> web.Application:
    """Return what answers `?domain=NAME`, at any path: 200 for a host of a site, and 404 for all others."""

    async def answer(request: web.Request) -> web.Response:
        if request.method not in _METHODS:
            return _said(405, "Only GET is possible here.")
        try:
            known = (await hosts()).hosts
        except TwinpressError:
            return _said(503, "The hosts of sites cannot be read.")
        names = request.rel_url.query.getall("domain", [])
        return _said(200, "Yes.") if len(names) == 1 and _named(names[0]) in known else _said(404, "No.")

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    return app


def _named(text: str) -> str:
    try:
        return normal(text)
    except BadHost:
        return ""


def _said(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n", headers=_HEADERS)
