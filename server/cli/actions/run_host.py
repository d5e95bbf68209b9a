"""`twinpress host`."""

from __future__ import annotations

import gc
import ipaddress
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from builder.errors import TwinpressError
from builder.workers.processors import COLLECT
from server.cli.terminal import console
from server.cli.terminal.server_lines import address
from server.cli.terminal.service_log import LogFormat, ServiceLog, explained, open_log
from server.control.sign_in.one_time_links import SignUp
from server.dashboard.mails import MailSettings
from server.dashboard.service_address import ServiceAddress, service_address
from server.domains.dns_questions import PORT as DNS_PORT
from server.domains.dns_questions import DnsSettings, Endpoint
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import KeylessLimits
from server.http.logged_request import LoggedRequest
from server.postgres.server_settings import ServerSettings
from server.screenshots.browser_process import installed_browser
from server.service.host_settings import DSN, HostSettings, SitesProcessKind
from server.service.run import run as run_service

FAILED, BROKEN = 2, 70
"""The exit codes of the command line for what could not be done, and for a fault of Twinpress."""


class InvalidSetting(TwinpressError):
    """An option of the service cannot be taken."""


class HostNarrator:
    """Says where the service is, what to do next, and what is asked of it.

    A terminal that is gone, or a log on a full disk, does not keep the service from its work.
    """

    def __init__(self, settings: HostSettings, log: ServiceLog) -> None:
        self._settings = settings
        self._log = log
        self._next: tuple[str, ...] = ()

    def dashboard(self, address: str, *, creates: bool) -> None:
        """Keep what is said to be done next."""
        if creates:
            self._next = (
                f"There is no account yet. To create yours, open this in a browser: {address}",
                "The address works once, until tomorrow. A new start prints another one.",
            )
        else:
            self._next = (f"To sign in, open this in a browser: {address}",)

    def listening(self, what: str, host: str, port: int) -> None:
        """Say the address."""
        here = address(host, port)
        if what == "metrics":
            self._log.say(f"  Metrics are at {here}/metrics")
            return
        if what == "certificates":
            self._log.say(f"  A TLS proxy asks at {here}/ for which names it may have certificates.")
            return
        if what == "sites":
            self._log.say(f"  Sites are at {here}")
        else:
            self._log.say(f"  The service is at {here}/api/v1; {here}/healthz says whether it is ready.")

    def started(self) -> None:
        """Say what to do next."""
        if self._settings.sites_process == "none":
            port = self._settings.ports[1]
            self._log.say(f"  Sites are not served from here: run `twinpress sites` at port {port}.")
        self._advise()

    def fault(self, text: str) -> None:
        """Say what Twinpress failed at."""
        self._log.say(text, "error")

    def access(self, request: LoggedRequest) -> None:
        """Say what was asked for."""
        self._log.access(request)

    def _advise(self) -> None:
        if self._settings.url and not self._settings.sites_url:
            self._log.say("  Previews of pages open on this machine alone. For others, give --sites-url.")
        for line in self._next:
            self._log.say(f"  {line}")
        is_alone = self._settings.dsn or not self._settings.databases
        self._log.say("  Ctrl+C stops it." if is_alone else "  Ctrl+C stops it, and its PostgreSQL.")


class _Options(Struct):
    """The command's options, as click reads them."""

    data: Path
    host: str
    port: int
    url: str
    sites_port: int | None
    sites_url: str
    ask_port: int | None
    dns_resolver: str
    sites_process: SitesProcessKind
    metrics_host: str
    metrics_port: int | None
    sign_up: SignUp
    mail_command: str
    mail_from: str
    webhook_private: bool
    allow_analytics: bool
    picture_user: str
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
    releases: str
    log_format: LogFormat


def run(**options: Any) -> int:
    """Run the service until Ctrl+C."""
    chosen = _Options(**options)
    log = open_log(chosen.log_format)
    return explained(log, lambda: _run(chosen, log), FAILED, BROKEN)


def _run(chosen: _Options, log: ServiceLog) -> int:
    settings = _settings(chosen)
    _check_sign_up(settings)
    _check_pictures(settings.picture_user)
    waits = settings.databases and not settings.dsn
    gc.set_threshold(COLLECT)
    log.say("Starting; the first time, PostgreSQL is set up ..." if waits else "Starting ...")
    run_service(settings, HostNarrator(settings, log))
    if sys.stderr.isatty() and chosen.log_format == "text":
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
        ask_port=options.ask_port,
        dns=DnsSettings(_endpoint(options.dns_resolver)),
        metrics_host=options.metrics_host,
        metrics_port=options.metrics_port,
        url=public,
        sites_url=options.sites_url,
        sites_process=options.sites_process,
        log_format=options.log_format,
        requests=options.requests,
        dsn=os.environ.get(DSN, ""),
        engine=_engine(options),
        visitors=KeylessLimits(options.address_connections, options.address_requests, proxies),
        databases=not options.no_databases,
        sign_up=options.sign_up,
        releases=options.releases,
        mail=_mail(options.mail_command, options.mail_from, public),
        webhook_private=options.webhook_private,
        analytics=options.allow_analytics,
        picture_user=options.picture_user,
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


def _endpoint(text: str) -> Endpoint | None:
    """Read the address of a name server. Raises InvalidSetting."""
    if not text:
        return None
    try:
        parts = urlsplit(f"//{text}")
        return str(ipaddress.ip_address(parts.hostname or "")), parts.port or DNS_PORT
    except ValueError:
        hint = "write an address and a port, such as 10.0.0.53:53"
        raise InvalidSetting(f"`--dns-resolver`: `{text}` is no name server", hint=hint) from None


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


def _check_pictures(user: str) -> None:
    """Raises InvalidSetting where the browser would have the rights of the service, or cannot be run."""
    if not user:
        return
    if os.geteuid() != 0:
        message = "`--picture-user`: only root can run Chromium as another user"
        raise InvalidSetting(
            message,
            hint="start the service as root, or leave the option out (agents get outlines without it)",
        )
    try:
        browser = installed_browser(user)
    except LookupError:
        raise InvalidSetting(f"`--picture-user`: there is no user `{user}`", hint="create it") from None
    if browser is None:
        raise InvalidSetting("`--picture-user`: no Chromium is found", hint="install the package `chromium`")
    if browser.user == 0:
        message = "`--picture-user`: Chromium would have all rights as root"
        raise InvalidSetting(message, hint="name a user that has nothing")
