"""A tenant as tests have one: with its password, and as a client that tries what it can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from msgspec import Struct

from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenant_names import new_name, new_password
from server.postgres.tenants.provisioning import Provisioner
from tests.waiting import until

CONNECTIONS = 5


class Tenant(Struct, frozen=True):
    """A tenant and what it was told."""

    name: str
    password: str
    server: DatabaseServer

    def uri(self, password: str | None = None, database: str | None = None) -> str:
        """The connection string that its owner gets, or one with another password or database."""
        told = self.server
        place = f"{told.public_host}:{told.public_port}/{database or self.name}?sslmode={told.public_sslmode}"
        return f"postgresql://{self.name}:{self.password if password is None else password}@{place}"

    def connect(self, password: str | None = None, database: str | None = None) -> psycopg.Connection[Any]:
        """A session of it, which commits each statement."""
        return psycopg.connect(self.uri(password, database), autocommit=True)

    def enter(self) -> psycopg.Connection[Any]:
        """A session where there is no room to spare: one that has ended counts on for a while."""

        def let_in() -> psycopg.Connection[Any] | None:
            with suppress(psycopg.OperationalError):
                return self.connect()
            return None

        return until(let_in)

    def runs(self, *statements: str) -> Any:
        """Run statements in a new session and return what the last gives: rows, `done`, or an SQLSTATE."""
        with self.connect() as connection:
            return outcome(connection, statements)

    def refusal(self, password: str | None = None, database: str | None = None) -> str:
        """Return the reason why it cannot log in; empty when it can."""
        try:
            self.connect(password, database).close()
        except psycopg.OperationalError as error:
            return str(error)
        return ""


def outcome(connection: psycopg.Connection[Any], statements: Sequence[str]) -> Any:
    """Return what the last of the statements gives, or the SQLSTATE of the first that fails."""
    try:
        for each in statements:
            cursor = connection.execute(each.encode())
    except psycopg.Error as error:
        return error.sqlstate
    return [list(row) for row in cursor.fetchall()] if cursor.description else "done"


@contextmanager
def made(
    provisioner: Provisioner, server: DatabaseServer, connections: int = CONNECTIONS
) -> Iterator[Tenant]:
    """A new tenant, dropped at the end."""
    tenant = Tenant(new_name(), new_password(), server)
    provisioner.create(tenant.name, scram_verifier(tenant.password), connections)
    try:
        yield tenant
    finally:
        provisioner.drop(tenant.name)
