"""Settings of the server that Twinpress runs: the operator's choices, and the values that follow."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct

from server.postgres.errors import EngineError

LOOPBACK = "127.0.0.1"
ANY = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


class ServerSettings(Struct, frozen=True, kw_only=True):
    """The operator's settings. `port` is chosen once by the caller and kept.

    `listen` is an IP address; one that others can reach needs `certificate` and `key`, two files in PEM.
    `public_host` is the name that tenants are told; without it they are told the address.
    """

    port: int
    listen: str = LOOPBACK
    public_host: str = ""
    certificate: Path | None = None
    key: Path | None = None
    max_connections: int = 100
    """All sessions together; the administrator has some more that are kept for it."""
    shared_buffers: int = 128
    """The server's own cache, in MiB."""
    session_memory: int = 1024
    """The most that one session may take beside that, in MiB: `work_mem` is the tenant's to set."""
    bin_dir: Path | None = None
    """The folder of `postgres` and `initdb`; without it they are the installed package's."""
    run_user: str = ""
    """As whom the server runs when Twinpress is root."""
    durable: bool = True
    """False loses data when the machine stops: for tests alone."""

    @property
    def tls(self) -> bool:
        """True if tenants connect by TLS."""
        return self.certificate is not None

    @property
    def public_sslmode(self) -> str:
        """The `sslmode` that tenants are told."""
        return "require" if self.tls else "disable"

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that the server listens on; the administrator always comes over loopback."""
        own = () if self.listen in {LOOPBACK, "0.0.0.0"} else (LOOPBACK,)  # noqa: S104 - compared with
        return (*own, self.listen)


def checked(settings: ServerSettings) -> ServerSettings:
    """The settings, when a server can run by them and a tenant's password is safe. Raises EngineError."""
    if not _is_loopback(settings.listen) and not settings.tls:
        message = f"the address {settings.listen} can be reached by others, and there is no certificate"
        hint = "give a certificate and its key, or listen on 127.0.0.1"
        raise EngineError(message, hint=hint, settings=("certificate", "key", "listen"))
    if (settings.certificate is None) != (settings.key is None):
        given, missing = ("certificate", "key") if settings.tls else ("key", "certificate")
        message, fields = f"a {given} is given without its {missing}", ("certificate", "key")
        raise EngineError(message, hint="give both, or neither", settings=fields)
    if settings.listen in ANY and not settings.public_host:
        message = f"tenants cannot connect to the address {settings.listen}"
        hint = "give the name under which they reach the server"
        raise EngineError(message, hint=hint, settings=("public_host",))
    if not 0 < settings.port < 65536:
        message, hint = f"{settings.port} is no port", "give a number from 1 to 65535"
        raise EngineError(message, hint=hint, settings=("port",))
    return settings


def _is_loopback(listen: str) -> bool:
    try:
        return ip_address(listen).is_loopback
    except ValueError:
        message, hint = f"`{listen}` is no IP address to listen on", "give an address, such as 127.0.0.1"
        raise EngineError(message, hint=hint, settings=("listen",)) from None
