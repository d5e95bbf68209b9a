"""`twinpress host`."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from msgspec import Struct

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.cli.terminal.server_lines import access_line, address
from server.control.sign_in.one_time_links import SignUp
from server.dashboard.mails import MailSettings
from server.dashboard.service_address import ServiceAddress, service_address
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import KeylessLimits
from server.http.logged_request import LoggedRequest
from server.postgres.server_settings import ServerSettings
from server.service.host_settings import DSN, HostSettings
from server.service.run import run as run_service


class InvalidSetting(TwinpressError):
    """An option of the service cannot be taken."""


class HostNarrator:
    """Says where the service is, what to do next, and what is asked of it.

    A terminal that is gone, or a log on a full disk, does not keep the service from its work.
    """

    def __init__(self, settings: HostSettings) -> None:
        self._settings = settings
        self._first = ""

    def first_account(self, address: str) -> None:
        """Keep the address for what is said to be done next."""
        self._first = address

    def listening(self, what: str, host: str, port: int) -> None:
        """The address; behind the last of them, what to do next."""
        here = address(host, port)
        if what == "metrics":
            console.log(f"  Metrics are at {here}/metrics")
            return
        if what == "sites":
            console.log(f"  Published sites are at {here}")
        else:
            console.log(f"  The service is at {here}/api/v1; {here}/healthz says whether it is ready.")
        if what == "sites" or self._settings.sites_port is None:
            self._advise()

    def fault(self, text: str) -> None:
        """Say what Twinpress failed at."""
        console.log(text)

    def access(self, request: LoggedRequest) -> None:
        """Say what was asked for."""
        console.log(access_line(request))

    def _advise(self) -> None:
        if self._first:
            console.log(f"  There is no account yet. Create yours, the operator's, at {self._first}")
            console.log("  The address works once, until tomorrow. A new start prints another one.")
        is_alone = self._settings.dsn or not self._settings.databases
        console.log("  Ctrl+C stops it." if is_alone else "  Ctrl+C stops it, and its PostgreSQL.")


class _Told(logging.Handler):
    """The service's own messages, beside those about requests."""

    def emit(self, record: logging.LogRecord) -> None:
        console.log(f"{time.strftime('%H:%M:%S')}  {record.getMessage()}")


class _Options(Struct):
    """The command's options, as click reads them."""

    data: Path
    host: str
    port: int
    url: str
    sites_port: int | None
    metrics_host: str
    metrics_port: int | None
    sign_up: SignUp
    mail_command: str
    mail_from: str
    requests: int
    address_requests: int
    address_connections: int
    proxies: tuple[Network, ...]
    db_port: int
    db_listen: str
    db_host: str
    db_cert: Path | None
    db_key: Path | None
    db_connections: int
    db_bin_dir: Path | None
    db_user: str
    no_databases: bool


def run(**options: Any) -> int:
    """Run the service until Ctrl+C."""
    settings = _settings(_Options(**options))
    _check_sign_up(settings)
    logger = logging.getLogger("twinpress")
    logger.addHandler(_Told())
    logger.setLevel(logging.INFO)
    waits = settings.databases and not settings.dsn
    console.note("Starting; the first time, PostgreSQL is set up ..." if waits else "Starting ...")
    run_service(settings, HostNarrator(settings))
    if sys.stderr.isatty():
        console.note("")
    return 0


def _settings(options: _Options) -> HostSettings:
    public = service_address(options.url) if options.url else None
    proxies = Proxies(options.proxies)
    return HostSettings(
        data=options.data.absolute(),
        host=options.host,
        port=options.port,
        sites_port=options.sites_port,
        metrics_host=options.metrics_host,
        metrics_port=options.metrics_port,
        url=public,
        requests=options.requests,
        dsn=os.environ.get(DSN, ""),
        engine=_engine(options),
        visitors=KeylessLimits(options.address_connections, options.address_requests, proxies),
        databases=not options.no_databases,
        sign_up=options.sign_up,
        mail=_mail(options.mail_command, options.mail_from, public),
    )


def _engine(options: _Options) -> ServerSettings:
    return ServerSettings(
        port=options.db_port,
        listen=options.db_listen,
        public_host=options.db_host,
        certificate=options.db_cert,
        key=options.db_key,
        max_connections=options.db_connections,
        bin_dir=options.db_bin_dir,
        run_user=options.db_user,
    )


def _mail(command: str, sender: str, public: ServiceAddress | None) -> MailSettings | None:
    """Raises InvalidSetting for a command that nobody could run."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise InvalidSetting(f"`--mail-command`: {error}", hint="close the quotes") from None
    if not words:
        return None
    if shutil.which(words[0]) is None:
        hint = "give the whole path of a program that sends mails"
        raise InvalidSetting(f"`--mail-command`: there is no program `{words[0]}`", hint=hint)
    return MailSettings(words, sender or f"Twinpress <noreply@{public.host if public else 'localhost'}>")


def _check_sign_up(settings: HostSettings) -> None:
    """Raises InvalidSetting where anybody could take the address of somebody else."""
    if settings.sign_up == "open" and settings.mail is None:
        message = "`--sign-up open` needs `--mail-command`: only a mail shows whose an address is"
        raise InvalidSetting(message, hint="name a command, or use `--sign-up invite`")
