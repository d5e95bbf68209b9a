"""Refuse requests that other sites' pages send to the preview.

A page on any web site can make a browser ask this server, and with a host name of its own that resolves
to this machine (DNS rebinding) it could read the answers: unpublished pages. So the server answers only
to names that cannot be such a trick.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from server.http.answers import no_resource

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?([^/?#@]*)")
"""The form of a target that a proxy is asked with."""
WORKER = "Service-Worker"
"""The header with which browsers ask for the script of a service worker. It would stay in the browser when
the preview of its site has ended, between the writer and the next site that is shown at this address."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def allowed(header: str, bound: str) -> bool:
    """Return whether a Host header names this machine; `bound` is the address or name given with `--host`.

    A literal address is no name that somebody could point elsewhere, but only the ones that were asked
    for answer: the loopback, the bound one, and any when bound to all.
    """
    name = _name(header)
    if name == "localhost" or name.endswith(".localhost") or name == bound.lower():
        return True
    address = _address(name)
    if address is None:
        return False
    every = _address(bound)
    return address.is_loopback or (every is not None and every.is_unspecified)


def known(request: web.Request, bound: str) -> bool:
    """Return whether a request is sent to this machine.

    Where its target names a host, that counts (RFC 9112, 3.2.2). The Host header must be right all the same:
    others may have looked at it alone.
    """
    named = _ABSOLUTE.match(request.raw_path)
    targets = [request.headers.get("Host", ""), *([named[1]] if named else [])]
    return all(allowed(each, bound) for each in targets)


def same_origin(request: web.Request) -> bool:
    """Return whether a page of this server asks, or no page at all."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("Host")


def host_guard(bound: str) -> Middleware:
    """Refuses requests for any other host, and for scripts that would outlive the preview."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if WORKER in request.headers:
            return web.Response(status=403, text="The preview gives no script to be a service worker.\n")
        if known(request, bound):
            return no_resource(request) or await handler(request)
        text = "This preview answers to localhost only. To use another name, start it with --host.\n"
        return web.Response(status=403, text=text)

    return guard


def _name(header: str) -> str:
    """The name in a Host header, in lower case; empty when the header is none (RFC 9110, 7.2)."""
    if set(header) & set("@/?#\\ "):
        return ""
    try:
        parts = urlsplit(f"//{header}")
        return (parts.hostname or "").rstrip(".") if parts.port != 0 else ""
    except ValueError:
        return ""


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
