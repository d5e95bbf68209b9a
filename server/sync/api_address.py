"""The address of a service: a key goes there, so it is looked at first."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from server.sync.errors import SyncError

PAGES = "/api/v1/pages"
"""The place of the authoring API below the address of a service."""


def pages_base(address: str, *, insecure: bool) -> str:
    """The base of the authoring API of the service at `address`.

    Raises SyncError for plain http to another machine, unless that is wanted (`insecure`).
    """
    parts = urlsplit(address)
    if parts.scheme != "https" and not insecure and not is_loopback(parts.hostname or ""):
        raise SyncError(
            "plain http to another machine would show the key to whoever is between",
            path=address,
            hint="use https, or --insecure in a network where you trust everybody",
        )
    return address.rstrip("/").removesuffix(PAGES) + PAGES


def is_loopback(host: str) -> bool:
    """Return whether a host name stands for this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def proxy_for(address: str) -> str | None:
    """The proxy that the environment names for an address, for https alone: others would see the key."""
    parts = urlsplit(address)
    if parts.scheme != "https" or proxy_bypass(parts.netloc):
        return None
    return getproxies().get("https")
