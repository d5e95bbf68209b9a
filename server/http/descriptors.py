"""The files that a server may have open: each connection is one, and a file that is sent on it another."""

from __future__ import annotations

import resource
from collections.abc import Callable

from msgspec.structs import replace

from server.http.room import SPARE, Wire

WANTED = 4_096
OTHERS = 256
"""What is open beside connections: databases, journals, watched folders, pipes to other processes."""
EACH = 2 * SPARE
"""For each connection: the file that is sent on it, or a connection to published sites, another server."""


def fitting(wire: Wire, tell: Callable[[str], None]) -> Wire:
    """No more connections than there can be files open; the operating system is asked for more of these."""
    files = _raised()
    most = max(1, (files - OTHERS) // EACH)
    if most >= wire.connections:
        return wire
    tell(f"Only {most:,} connections may be open: the system allows {files:,} open files (see `ulimit -n`).")
    return replace(wire, connections=most)


def _raised() -> int:
    """The limit of this process, which it may raise to a certain height."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return WANTED
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted, soft)
