"""`twinpress host`."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import time
from pathlib import Path

from server.cli.terminal import console
from server.cli.terminal.server_lines import access_line, address
from server.control.accounts.accounts import Accounts
from server.control.sqlite.data_folder import existing_data
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import Visitors
from server.http.logged_request import Access
from server.postgres.server_settings import ServerSettings
from server.service.host_settings import DSN, HostSettings
from server.service.run import run as run_service


class HostNarrator:
    """Says where the service is, what to do next, and what is asked of it.

    A terminal that is gone, or a log on a full disk, does not keep the service from its work.
    """

    def __init__(self, settings: HostSettings) -> None:
        self._settings = settings

    def listening(self, what: str, host: str, port: int) -> None:
        """The address; behind the last of them, what to do next."""
        here = address(host, port)
        if what == "sites":
            console.log(f"  Published sites are at {here}")
        else:
            console.log(f"  The service is at {here}/api/v1; {here}/healthz says whether it is ready.")
        if what == "sites" or self._settings.sites_port is None:
            self._advise()

    def fault(self, text: str) -> None:
        """Say what Twinpress failed at."""
        console.log(text)

    def access(self, request: Access) -> None:
        """Say what was asked for."""
        console.log(access_line(request))

    def _advise(self) -> None:
        data = self._settings.data
        with existing_data(data) as database:
            if not Accounts(database).list():
                command = f"twinpress admin --data {shlex.quote(str(data))} account create EMAIL"
                console.log(f"  There is no account yet. Create one in another terminal: {command}")
        console.log("  Ctrl+C stops it." if self._settings.dsn else "  Ctrl+C stops it, and its PostgreSQL.")


class _Told(logging.Handler):
    """What the service has to say beside requests."""

    def emit(self, record: logging.LogRecord) -> None:
        console.log(f"{time.strftime('%H:%M:%S')}  {record.getMessage()}")


def run(
    *,
    data: Path,
    host: str,
    port: int,
    sites_port: int | None,
    requests: int,
    address_requests: int,
    address_connections: int,
    proxies: tuple[Network, ...],
    db_port: int,
    db_listen: str,
    db_host: str,
    db_cert: Path | None,
    db_key: Path | None,
    db_connections: int,
    db_bin_dir: Path | None,
    db_user: str,
) -> int:
    """Run the service until Ctrl+C."""
    logger = logging.getLogger("twinpress")
    logger.addHandler(_Told())
    logger.setLevel(logging.INFO)
    engine = ServerSettings(
        port=db_port,
        listen=db_listen,
        public_host=db_host,
        certificate=db_cert,
        key=db_key,
        max_connections=db_connections,
        bin_dir=db_bin_dir,
        run_user=db_user,
    )
    dsn = os.environ.get(DSN, "")
    visitors = Visitors(address_connections, address_requests, Proxies(proxies))
    settings = HostSettings(data.absolute(), host, port, sites_port, requests, dsn, engine, visitors)
    console.note("Starting ..." if dsn else "Starting; the first time, PostgreSQL is set up ...")
    run_service(settings, HostNarrator(settings))
    if sys.stderr.isatty():
        console.note("")
    return 0
