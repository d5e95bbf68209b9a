"""Bounds on clients without a key, which are told apart by their addresses."""

from __future__ import annotations

from aiohttp import hdrs, web
from msgspec import Struct, field

from server.http import addresses
from server.http.addresses import Proxies
from server.http.failure import Failure
from server.http.limits import RateLimit

FORWARDED = hdrs.X_FORWARDED_FOR


class KeylessLimits(Struct, frozen=True):
    """`connections` at a time and `requests` in a minute of one address; 0 is no limit.

    This machine itself and `proxies` are under no limit. Behind a proxy that the operator trusts, the address
    is the one that it forwards, and a connection counts for it while its request is answered.
    """

    connections: int = 100
    requests: int = 600
    proxies: Proxies = Proxies()
    rate: RateLimit = field(default_factory=RateLimit)

    def take(self, address: str) -> None:
        """Count a request without a key. Raises Failure with `RATE_LIMITED`."""
        if address:
            self.rate.take(address, self.requests, "client without a key")

    def visit(self, request: web.BaseRequest) -> None:
        """The same for a request to an API, which knows whether it has a key. Raises Failure."""
        self.take(getattr(request.protocol, "address", ""))

    def at_most(self, address: str) -> int:
        """Return how many connections an address may have; 0 is no limit."""
        return self.connections if address else 0

    def forwards(self, peer: str) -> bool:
        """Return whether the other side of a connection asks for others."""
        return self.proxies.trust(peer)

    def behind(self, request: web.BaseRequest) -> str:
        """The address for which a proxy asks."""
        return self.proxies.client(request.headers.getall(FORWARDED, []))


def crowded(most: int) -> Failure:
    """The answer to one connection more than an address may have."""
    message = f"a client may have {most:,} connections open at a time; close one of them"
    return Failure("RATE_LIMITED", message, {"Retry-After": "1"})


def address_of(peer: object) -> str:
    """Return the `addresses.block` of the name that the system gives a connection's other side."""
    return addresses.block(str(peer[0])) if isinstance(peer, tuple) else ""
