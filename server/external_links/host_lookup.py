"""Look hosts up once, and let only those addresses be connected to that may be asked."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from server.domains.public_address import is_public

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_NEVER = (".invalid", ".onion")
"""Names that no name server has (RFC 6761, 7686): it need not be asked."""


class NoSuchHost(OSError):
    """There is no host of this name."""


class HostUnknown(OSError):
    """No name server has said whether there is such a host."""


class PrivateHost(OSError):
    """The host has an address that is not public, and nobody has allowed that."""


class HostLookup(AbstractResolver):
    """Gives aiohttp the addresses of a host; it connects to these and asks for none again."""

    def __init__(self, threads: int, *, private: bool) -> None:
        self._private = private
        self._threads = ThreadPoolExecutor(threads, "twinpress-links-host")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look a host up. Raises NoSuchHost, HostUnknown, PrivateHost."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._found, host, port, family)

    def _found(self, host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
        if host.rstrip(".").endswith(_NEVER):
            raise NoSuchHost(host)
        try:
            found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        except UnicodeError:
            raise NoSuchHost(host) from None
        except socket.gaierror as error:
            raise (NoSuchHost if error.errno in _NO_SUCH_NAME else HostUnknown)(host) from None
        addresses = [(kind, str(each[0])) for kind, _, _, _, each in found]
        # One that is not public among several is the mark of a name that is to lead us astray.
        for _, address in addresses:
            self.check(address)
        return [_result(host, port, kind, address) for kind, address in addresses]

    def check(self, address: str) -> None:
        """Refuse an address that is not public. Raises PrivateHost."""
        if not self._private and not is_public(address):
            raise PrivateHost(address)

    async def close(self) -> None:
        """End, and wait for no name server."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, port: int, kind: int, address: str) -> ResolveResult:
    flags = socket.AI_NUMERICHOST
    return {"hostname": host, "host": address, "port": port, "family": kind, "proto": 0, "flags": flags}
