"""Accept connections for a web application, for a time."""

from __future__ import annotations

import errno
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager

from aiohttp import web

from builder.errors import TwinpressError

QUEUE = 1_024
"""Connections of a crowd that wait to be accepted; who finds no place tries again after a second."""


def free_ports(places: Mapping[str, tuple[str, int]]) -> dict[str, int]:
    """See whether these can be listened on, each by its option, before what takes long is begun.

    A port of 0 is a free one then, another one for each. Raises TwinpressError.
    """
    with ExitStack() as held:  # all of them: the system gives a port that was let go a second time
        found = {}
        for option, (host, port) in places.items():
            opened = [held.enter_context(each) for each in bound(host, port, option)]
            found[option] = opened[0].getsockname()[1]
    return found


def bound(host: str, port: int, option: str = "--port") -> list[socket.socket]:
    """Listen at all addresses of a host, at one port; 0 is any free one. Raises TwinpressError.

    Whoever has one of these sockets, also in another process, may accept its connections.
    """
    found: list[socket.socket] = []
    try:
        for family, kind, _, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            chosen = found[0].getsockname()[1] if found else port
            found.append(_bound(family, kind, (address[0], chosen, *address[2:])))
    except OSError as error:
        for each in found:
            each.close()
        raise _refused(host, port, option, error) from None
    return found


def _bound(family: int, kind: int, address: tuple[object, ...]) -> socket.socket:
    opened = socket.socket(family, kind)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(address)
        opened.listen(QUEUE)
    except BaseException:
        opened.close()
        raise
    return opened


@asynccontextmanager
async def listening(
    runner: web.BaseRunner, host: str, ports: Sequence[int], option: str = "--port"
) -> AsyncIterator[int]:
    """Listen on the first of these ports that nobody uses, and give it; 0 is any free one.

    At the end, open requests get the runner's time for theirs. Raises TwinpressError, which names the option
    by which the port was chosen.
    """
    await runner.setup()
    try:
        yield await _bind(runner, host, ports, option)
    finally:
        await runner.cleanup()


async def _bind(runner: web.BaseRunner, host: str, ports: Sequence[int], option: str) -> int:
    for port in ports:
        try:
            await web.TCPSite(runner, host, port, backlog=QUEUE).start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port != ports[-1]:
                continue
            raise _refused(host, port, option, error) from None
        address: tuple[str, int] = runner.addresses[0][:2]
        return address[1]
    raise ValueError("no port is given to listen on")


def _refused(host: str, port: int, option: str, error: OSError) -> TwinpressError:
    message = f"cannot listen on {host}, port {port}: {error.strerror or error}"
    return TwinpressError(message, hint=f"choose another --host or {option}")
