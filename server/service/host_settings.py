"""Settings of `twinpress host`: its data, its addresses, and its PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from server.control.plans import PLANS, Plans
from server.http.keyless_limits import Visitors
from server.postgres.server_settings import ServerSettings

DSN = "TWINPRESS_POSTGRES_DSN"
"""The environment variable with the address of an external server: it holds a password."""


class HostSettings(Struct, frozen=True):
    """The service. Port 0 is any free one; that of PostgreSQL is chosen once and kept.

    `requests` are those that a key may make in a minute; 0 is no limit. `visitors` says what clients may ask
    for that have none. With a `dsn`, the server at that address is used, and `engine` is of no account.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8080
    sites_port: int | None = None
    requests: int = 600
    dsn: str = ""
    engine: ServerSettings = field(default_factory=lambda: ServerSettings(port=0))
    visitors: Visitors = field(default_factory=Visitors)
    plans: Plans = field(default_factory=lambda: PLANS)

    def __repr__(self) -> str:
        """Without the DSN."""
        return f"HostSettings({str(self.data)!r})"
