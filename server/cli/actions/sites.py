"""`twinpress sites`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.cli.terminal.server_lines import address
from server.cli.terminal.service_log import LogFormat, ServiceLog, explained, open_log
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import KeylessLimits
from server.site_serving.run import ReadersSettings, serve

FAILED, BROKEN = 2, 70
"""The exit codes of the command line for what could not be done, and for a fault of Twinpress."""


class SitesNarrator:
    """Says where the sites are, and what is wrong with one."""

    def __init__(self, log: ServiceLog) -> None:
        self._log = log

    def listening(self, host: str, port: int) -> None:
        """Say the address, and what to do next."""
        self._log.say(f"  The server of published sites is at {address(host, port)}/")
        self._log.say("  Each site answers at the names of its hosts. Ctrl+C stops it.")

    def fault(self, text: str) -> None:
        """Say what failed."""
        self._log.note(text, "error")


def run(
    *,
    data: Path | None,
    host: str,
    port: int,
    previews: Path | None,
    releases: str,
    address_connections: int,
    proxies: tuple[Network, ...],
    log_format: LogFormat,
) -> int:
    """Serve published sites until Ctrl+C. Raises TwinpressError where nothing says which."""
    if data is None and not releases:
        raise TwinpressError("there are no releases to serve", hint="give --data DIR or --releases URL")
    log = open_log(log_format)
    visitors = KeylessLimits(address_connections, 0, Proxies(proxies))
    folder, counts = (data or Path()).absolute(), data is not None
    settings = ReadersSettings(folder, host, port, previews, releases, counts=counts, visitors=visitors)
    return explained(log, lambda: _run(settings, log), FAILED, BROKEN)


def _run(settings: ReadersSettings, log: ServiceLog) -> int:
    asyncio.run(serve(settings, SitesNarrator(log)))
    if sys.stderr.isatty():
        console.note("")  # the terminal has shown `^C`, and what the shell says next is no part of it
    return 0
