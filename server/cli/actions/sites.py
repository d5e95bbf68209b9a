"""`twinpress sites`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.cli.terminal.server_lines import address
from server.cli.terminal.service_log import LogFormat, ServiceLog, explained, open_log
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import KeylessLimits
from server.http.logged_request import LoggedRequest
from server.site_serving.run import (
    GOODBYE,
    SITES,
    ReadersSettings,
    confine_readers,
    open_sockets,
    serve,
)
from server.site_serving.serving_socket import ServingClient

FAILED, BROKEN = 2, 70
"""The exit codes of the command line for what could not be done, and for a fault of Twinpress."""
_FIRST_OF_SYSTEMD = 3
"""The number of the first socket that systemd opens for a process (`man sd_listen_fds`)."""


class SitesNarrator:
    """Says where the sites are, what is wrong with one, and what readers have asked for.

    A process that a service has started says nothing of where it is: the service does.
    """

    def __init__(self, log: ServiceLog, *, is_alone: bool) -> None:
        self._log = log
        self._is_alone = is_alone

    def listening(self, what: str, host: str, port: int) -> None:
        """Say the address; behind that of sites, what to do next."""
        if what == "metrics":
            self._log.say(f"  Metrics are at {address(host, port)}/metrics")
        elif not self._is_alone:
            return
        elif what == "certificates":
            self._log.say(
                f"  A TLS proxy asks at {address(host, port)}/ for which names it may have certificates."
            )
        else:
            self._log.say(f"  The server of published sites is at {address(host, port)}/")
            self._log.say("  Each site answers at the names of its hosts. Ctrl+C stops it.")

    def fault(self, text: str) -> None:
        """Say what failed."""
        self._log.note(text, "error")

    def access(self, request: LoggedRequest) -> None:
        """Say what a reader has asked for."""
        self._log.access(request)


class _Options(Struct):
    """The command's options, as click reads them."""

    data: Path | None
    releases: str
    host: str
    port: int
    stop: bool
    metrics_host: str
    metrics_port: int | None
    ask_port: int | None
    allow_analytics: bool
    log_requests: bool
    inherit: tuple[str, ...]
    identity: str
    ends_with_service: bool
    address_connections: int
    proxies: tuple[Network, ...]
    log_format: LogFormat


def run(**options: Any) -> int:
    """Serve published sites until Ctrl+C, or end the process that does.

    Raises TwinpressError where nothing says which.
    """
    chosen = _Options(**options)
    if chosen.data is None and (chosen.stop or not chosen.releases):
        hint = "give --data DIR" if chosen.stop else "give --data DIR or --releases URL"
        raise TwinpressError("there are no releases to serve", hint=hint)
    log = open_log(chosen.log_format)
    act = _stop if chosen.stop else _run
    return explained(log, lambda: act(chosen, log), FAILED, BROKEN)


def _run(chosen: _Options, log: ServiceLog) -> int:
    settings = ReadersSettings(
        data=chosen.data and chosen.data.absolute(),
        host=chosen.host,
        port=chosen.port,
        releases=chosen.releases,
        visitors=KeylessLimits(chosen.address_connections, 0, Proxies(chosen.proxies)),
        identity=chosen.identity,
        outlives=not chosen.ends_with_service,
        every_request=chosen.log_requests,
        metrics_host=chosen.metrics_host,
        metrics_port=chosen.metrics_port,
        ask_port=chosen.ask_port,
        analytics=chosen.allow_analytics,
    )
    sockets = open_sockets(settings, _inherited(chosen.inherit))
    confine_readers(settings)
    asyncio.run(serve(settings, sockets, SitesNarrator(log, is_alone=not chosen.identity)))
    if sys.stderr.isatty():
        console.note("")  # the terminal has shown `^C`, and what the shell says next is no part of it
    return 0


def _inherited(words: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Read the descriptors of sockets that are left to this process: as `sites=5`, or as systemd has it."""
    found: dict[str, list[int]] = {}
    if os.environ.get("LISTEN_PID") == str(os.getpid()):
        count = int(os.environ.get("LISTEN_FDS", "0"))
        found[SITES] = list(range(_FIRST_OF_SYSTEMD, _FIRST_OF_SYSTEMD + count))
    for what, _, number in (word.partition("=") for word in words):
        found.setdefault(what, []).append(int(number))
    return found


def _stop(chosen: _Options, log: ServiceLog) -> int:
    data = (chosen.data or Path()).absolute()
    client = ServingClient.connect(data, chosen.port, GOODBYE)
    if client is None:
        message = f"no process serves the sites of this folder at port {chosen.port}"
        raise TwinpressError(message, path=str(data), hint="name another --port, or nothing runs")
    client.say("stop")
    if not client.waits_for_end(2 * GOODBYE):
        hint = f"end it by its number: kill -9 {client.process}"
        raise TwinpressError("the process does not end", hint=hint)
    client.close()
    log.say("The process has ended.")
    return 0
