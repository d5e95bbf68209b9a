"""Settings of `twinpress host`: its data, its addresses, and its PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from server.control.plans import PLANS, Plans
from server.control.sign_in.one_time_links import SignUp
from server.dashboard.mails import MailSettings
from server.dashboard.service_address import ServiceAddress, service_address
from server.domains.dns_questions import DnsSettings
from server.http.keyless_limits import KeylessLimits
from server.postgres.server_settings import ServerSettings
from server.site_previews.sites_origin import SitesOrigin, sites_origin

DSN = "TWINPRESS_POSTGRES_DSN"
"""The environment variable with the address of an external server: it holds a password."""


_LAST_PORT = 65535
SitesProcessKind = Literal["own", "inside", "none"]
"""A process of their own serves sites, which the service looks after, or the service itself, or neither."""


class HostSettings(Struct, frozen=True):
    """The service. Port 0 is any free one; that of PostgreSQL is chosen once and kept.

    Without a `sites_port`, it is the one after `port`, or any.

    `requests` are those that a key may make in a minute; 0 is no limit. `visitors` says what clients may ask
    for that have none. Browsers reach the service at `url`, or at `http://localhost:PORT`, and sites at
    `sites_url`, or at `http://localhost:SITES_PORT`. `sites_process` says who serves published sites; a
    process of their own goes on when the service is killed where `sites_outlive`. With a `dsn`, the server at
    that address is used, and `engine` is of no account. Releases are in the bucket at the address `releases`;
    with "" in the folder of the data. The TLS proxy asks at `ask_port` of this machine, and `dns` says who is
    asked about domains. With `webhook_private`, webhooks may be called on this machine and its network. With
    `analytics`, published pages have the scripts of the statistics that their site names. Agents see pictures
    of pages where there is a `picture_user`, as whom the browser runs.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8080
    sites_port: int | None = None
    ask_port: int | None = None
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    url: ServiceAddress | None = None
    sites_url: str = ""
    requests: int = 600
    dsn: str = ""
    engine: ServerSettings = field(default_factory=lambda: ServerSettings(port=0))
    visitors: KeylessLimits = field(default_factory=KeylessLimits)
    databases: bool = True
    sign_up: SignUp = "closed"
    mail: MailSettings | None = None
    webhook_private: bool = False
    analytics: bool = False
    picture_user: str = ""
    releases: str = ""
    plans: Plans = field(default_factory=lambda: PLANS)
    dns: DnsSettings = field(default_factory=DnsSettings)
    log_format: str = "text"
    sites_process: SitesProcessKind = "own"
    sites_outlive: bool = True

    @property
    def address(self) -> ServiceAddress:
        """The service as browsers reach it."""
        return self.url or service_address(f"http://localhost:{self.port}")

    @property
    def ports(self) -> tuple[int, int]:
        """The ports to listen at: that of the service, and that of sites."""
        if self.sites_port is not None:
            return self.port, self.sites_port
        return self.port, self.port + 1 if 0 < self.port < _LAST_PORT else 0

    @property
    def sites(self) -> SitesOrigin:
        """The origin of sites as browsers reach it. Raises InvalidAddress."""
        return sites_origin(self.sites_url or f"http://localhost:{self.ports[1]}", self.address)

    @property
    def sites_words(self) -> tuple[str, ...]:
        """The options of `twinpress sites` with which this service has published sites served."""
        proxies = (word for each in self.visitors.proxies.networks for word in ("--trusted-proxy", str(each)))
        return (
            *("--data", str(self.data), "--host", self.host, "--port", str(self.ports[1])),
            *("--address-connections", str(self.visitors.connections), *proxies),
            *("--log-format", self.log_format),
            *(("--releases", self.releases) if self.releases else ()),
            *(() if self.ask_port is None else ("--ask-port", str(self.ask_port))),
            *(("--allow-analytics",) if self.analytics else ()),
            *(() if self.sites_outlive else ("--ends-with-service",)),
        )

    def __repr__(self) -> str:
        """Without the DSN."""
        return f"HostSettings({str(self.data)!r})"
