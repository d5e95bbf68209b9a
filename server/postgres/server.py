"""A PostgreSQL server, as its administrator reaches it and as tenants are told to."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import psycopg
from msgspec import Struct
from msgspec.structs import asdict

from server.postgres.errors import EngineError, EngineRefused, EngineUnavailable

PATIENCE = 10
"""Seconds after which a server that does not answer is given up."""
HIDDEN = "***"

_NO_CONNECT = "permission denied for database"
_REFUSED = ("authentication failed", "no pg_hba.conf entry", "is not permitted to log in", "does not exist")


class DatabaseServer(Struct, frozen=True, kw_only=True):
    """The address of a server, its administrator, and what tenants are told about it.

    `host` may be the folder of a Unix socket. `parameters` are what libpq needs beside, such as
    `sslrootcert`. The password is in no text of this object.
    """

    host: str
    port: int
    user: str
    password: str
    sslmode: str = "disable"
    superuser: bool = True
    version: int = 180003
    """As `server_version_num`: 180003 is 18.3."""
    public_host: str
    public_port: int
    public_sslmode: str = "disable"
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> str:
        """The address for the administrator, for messages."""
        return f"{self.host}:{self.port}"

    @property
    def major(self) -> int:
        """The major version, such as 18."""
        return self.version // 10000

    @property
    def needs_tls(self) -> bool:
        """True if the administrator's connections must be encrypted."""
        return self.sslmode in {"require", "verify-ca", "verify-full"}

    def connect(
        self, database: str = "postgres", *, application: str = "twinpress"
    ) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of the administrator, which commits each statement by itself.

        Raises EngineUnavailable, and EngineRefused when trying again would not help.
        """
        try:
            return psycopg.connect(**self.arguments(database, application), autocommit=True)
        except psycopg.OperationalError as error:
            raise _explained(error, self) from error

    def arguments(self, database: str, application: str) -> dict[str, Any]:
        """Return libpq's arguments to connect as the administrator, the password among them."""
        # What is named here is not taken from the environment of whoever starts the service.
        chosen = {"client_encoding": "utf8", "connect_timeout": PATIENCE, "gssencmode": "disable"}
        # A machine that has gone from the network is not waited for as long as TCP would.
        chosen |= {"tcp_user_timeout": PATIENCE * 3000, "keepalives_idle": PATIENCE * 3}
        place = {"host": self.host, "port": self.port, "sslmode": self.sslmode, "dbname": database}
        who = {"user": self.user, "password": self.password, "application_name": application}
        return chosen | {"options": ""} | dict(self.parameters) | place | who

    def __repr__(self) -> str:
        return f"DatabaseServer({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return list((asdict(self) | {"password": HIDDEN}).items())


def is_socket(host: str) -> bool:
    """Return whether this is a Unix socket: a folder, or a name that only the kernel knows."""
    return host.startswith(("/", "@"))


def is_local(host: str) -> bool:
    """Return whether this is the machine itself, so that nobody else hears what is said."""
    if is_socket(host) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _explained(error: psycopg.OperationalError, server: DatabaseServer) -> EngineError:
    """The server's own words, which name the user and never the password."""
    place = server.place
    words = _words(str(error))
    if _NO_CONNECT in words:
        message = f"the PostgreSQL server does not let `{server.user}` into this database: {words}"
        escaped = server.user.replace('"', '""')
        hint = f'as a superuser, run GRANT CONNECT ON DATABASE postgres TO "{escaped}"'
        return EngineRefused(message, path=place, hint=hint)
    if any(text in words for text in _REFUSED):
        message = f"the PostgreSQL server does not let `{server.user}` in: {words}"
        return EngineRefused(message, path=place, hint="check name, password and pg_hba.conf")
    message = f"the PostgreSQL server cannot be reached: {words}"
    return EngineUnavailable(message, path=place, hint="check that it runs, and try again")


def _words(said: str) -> str:
    """The line that says why: the last one that is no detail to another. libpq tells no SQLSTATE here."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no reason given"]
    fatal = [line for line in lines if "FATAL:" in line]
    return (fatal or lines)[-1]
