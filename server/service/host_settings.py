"""Settings of `twinpress host`: its data, its addresses, and its PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from server.control.plans import PLANS, Plans
from server.control.sign_in.one_time_links import SignUp
from server.dashboard.mails import MailSettings
from server.dashboard.service_address import ServiceAddress, service_address
from server.http.keyless_limits import KeylessLimits
from server.postgres.server_settings import ServerSettings

DSN = "TWINPRESS_POSTGRES_DSN"
"""The environment variable with the address of an external server: it holds a password."""


class HostSettings(Struct, frozen=True):
    """The service. Port 0 is any free one; that of PostgreSQL is chosen once and kept.

    `requests` are those that a key may make in a minute; 0 is no limit. `visitors` says what clients may ask
    for that have none. Browsers reach the service at `url`, or at `http://localhost:PORT`. With a `dsn`,
    the server at that address is used, and `engine` is of no account.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8080
    sites_port: int | None = None
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    url: ServiceAddress | None = None
    requests: int = 600
    dsn: str = ""
    engine: ServerSettings = field(default_factory=lambda: ServerSettings(port=0))
    visitors: KeylessLimits = field(default_factory=KeylessLimits)
    databases: bool = True
    sign_up: SignUp = "closed"
    mail: MailSettings | None = None
    plans: Plans = field(default_factory=lambda: PLANS)

    @property
    def address(self) -> ServiceAddress:
        """The service as browsers reach it."""
        return self.url or service_address(f"http://localhost:{self.port}")

    def __repr__(self) -> str:
        """Without the DSN."""
        return f"HostSettings({str(self.data)!r})"
