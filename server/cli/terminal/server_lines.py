"""Lines of servers in the terminal: their addresses, and the requests that they got."""

from __future__ import annotations

import time

from builder.report import duration, visible
from server.http.logged_request import LoggedRequest

PATH_SHOWN = 200
"""Characters of an address in the log."""
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what a person bound to can be reached at


def address(host: str, port: int) -> str:
    """The address of a server, as it can be opened."""
    written = f"[{host}]" if ":" in host else host
    return f"http://{EVERYWHERE.get(host, written)}:{port}"


def access_line(request: LoggedRequest) -> str:
    """A request to an API, with the time of day."""
    who = f"  ({request.key}, {request.id})" if request.key else f"  ({request.id})"
    more = f"; so were {request.more:,} more since" if request.more else ""
    asked = visible(f"{request.method} {request.path[:PATH_SHOWN]}".strip())
    clock = time.strftime("%H:%M:%S")
    return f"{clock}  {asked}: {request.status} in {duration(request.seconds)}{who}{more}"
