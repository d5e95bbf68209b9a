"""Whose request it is: the address of its client, also where a proxy stands between.

Only `X-Forwarded-For` is read, and only from proxies that the operator has named. Each adds at its right whom
it was asked by, so that all to the left of the first other from the right may be made up.
`Forwarded` is not read: a proxy that sets one of the two passes the other on as a client has sent it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from msgspec import Struct

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNREADABLE = "?"
"""Stands for all whose proxy does not say who they are."""
_BLOCK = 64
"""Bits of an IPv6 address that one client has: the rest of them it may choose."""


class Proxies(Struct, frozen=True):
    """Whose word is taken for where a request comes from."""

    networks: tuple[Network, ...] = ()

    def trust(self, peer: str) -> bool:
        """Return whether the other side of a connection is one of them."""
        address = _parsed(peer)
        return address is not None and self._has(address)

    def client(self, forwarded: Sequence[str]) -> str:
        """Return who asked a proxy, as `block` names it, by the values of `X-Forwarded-For`.

        It is "" where the proxy asks for itself.
        """
        for hop in _hops(forwarded):
            address = _parsed(hop)
            if address is None:
                return UNREADABLE
            if not self._has(address):
                return _named(address)
        return ""

    def _has(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def block(peer: str) -> str:
    """Return the block of one client: an IPv4 address, or a /64 of IPv6; "" for this machine itself."""
    address = _parsed(peer)
    return UNREADABLE if address is None else _named(address)


def network(text: str) -> Network:
    """An address or a network, as an operator writes it. Raises ValueError."""
    found = ipaddress.ip_network(text.strip(), strict=False)
    if isinstance(found, ipaddress.IPv6Network) and found.network_address.ipv4_mapped:
        raise ValueError("write it as an IPv4 address")
    return found


def _named(address: Address) -> str:
    if address.is_loopback:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((int(address), _BLOCK), strict=False))


def _hops(forwarded: Sequence[str]) -> Iterator[str]:
    """Those whom proxies name, the nearest first."""
    for value in reversed(forwarded):
        rest = value
        while rest:
            rest, _, hop = rest.rpartition(",")
            if hop.strip():
                yield hop


def _parsed(text: str) -> Address | None:
    """An address, also with a port or a zone; None for what is none."""
    name = text.strip()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    try:
        found = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None
    return (isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped) or found
