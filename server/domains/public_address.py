"""The addresses that anybody may have called or asked: never those of this machine or of its network.

A host is looked up once, and what was found is what is connected to: a name that leads elsewhere at the next
question leads nowhere.
"""

from __future__ import annotations

import ipaddress
import socket

from builder.errors import TwinpressError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96")))
"""Networks whose last four bytes are an IPv4 address that a gateway leads to (RFC 6052, 8215, 2765, 4291)."""


class RefusedAddress(TwinpressError):
    """The host has no address that may be called."""


def find_address(host: str, port: int, *, private: bool) -> str:
    """Look a host up, and return the address to connect to. Raises RefusedAddress.

    With `private` it may be one of this machine or network. It may wait for a name server.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise RefusedAddress("the host has no address") from None
    addresses = [str(each[4][0]) for each in found]
    if not addresses:
        raise RefusedAddress("the host has no address")
    # One that is not public among several is the mark of a name that is to lead us astray.
    if not private and not all(map(is_public, addresses)):
        raise RefusedAddress("the host has an address that is not public")
    return addresses[0]


def is_public(text: str) -> bool:
    """Return whether an address is one of a host anywhere on the internet."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return all(_is_public(each) for each in (address, *_inner(address)))


def _is_public(address: Address) -> bool:
    is_odd = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    is_own = address.is_loopback or address.is_private or getattr(address, "is_site_local", False)
    return address.is_global and not is_odd and not is_own


def _inner(address: Address) -> list[Address]:
    """Return the IPv4 addresses within an IPv6 address to which it may lead."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    inner: list[Address] = [each for each in (address.ipv4_mapped, address.sixtofour) if each is not None]
    if address.teredo is not None:
        inner.extend(address.teredo)
    if any(address in network for network in _TRANSLATED):
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return inner
