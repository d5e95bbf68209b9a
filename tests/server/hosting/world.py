"""The service without HTTP: a real control database, a real PostgreSQL, and who keeps them in step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.plans import PLANS, Plans
from server.control.sealing import Keyring, open_keyring
from server.control.sqlite.database import ControlDatabase
from server.hosting.apply import Applier
from server.hosting.hosting_service import Databases, Revealed
from server.hosting.idempotency import Ask, Once
from server.hosting.leader import Leader
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.control.fresh_data import open_fresh
from tests.server.control.people import accounts

PASSWORD = "an owner's own long password"


@dataclass(frozen=True, slots=True)
class World:
    """One service process, and what a test needs to look behind it."""

    database: ControlDatabase
    keyring: Keyring
    server: DatabaseServer
    provisioner: Provisioner
    applier: Applier
    leader: Leader
    databases: Databases
    accounts: Accounts

    def account(self, email: str = "ada@example.org", plan: str = "premium") -> Account:
        """A new account."""
        return self.accounts.create(email, PASSWORD, plan)  # type: ignore[arg-type]

    def create(self, account: Account, name: str | None = None, once: Once | None = None) -> Revealed:
        """A new database of an account."""
        return self.databases.create(ask(account, once), name)

    def connect(self, found: Revealed, password: str = "") -> psycopg.Connection[tuple[object, ...]]:
        """As the database's user, over TCP."""
        return connect(self.server, found.row.id, password or found.password)

    def opens(self, found: Revealed, password: str = "") -> bool:
        """Return whether a password opens the database."""
        try:
            self.connect(found, password).close()
        except psycopg.OperationalError:
            return False
        return True


def ask(account: Account, once: Once | None = None) -> Ask:
    """A request of the account's owner."""
    return Ask(account.id, "a-key", "a-request", once)


def connect(server: DatabaseServer, name: str, password: str) -> psycopg.Connection[tuple[object, ...]]:
    """As a tenant, over TCP."""
    return psycopg.connect(
        host=server.public_host,
        port=server.public_port,
        user=name,
        dbname=name,
        password=password,
        autocommit=True,
    )


@contextmanager
def world(
    data: Path,
    server: DatabaseServer,
    plans: Plans = PLANS,
    *,
    provisioner: Callable[[DatabaseServer], Provisioner] = Provisioner,
    ready: Callable[[], bool | None] = lambda: None,
) -> Iterator[World]:
    """A service process on this data and this server; it begins to ask for the lead."""
    with closing(open_fresh(data)) as database, closing(provisioner(server)) as provisioned:
        keyring = open_keyring(database, data)
        applier = Applier(database, keyring, provisioned, plans, time.time)
        leader = Leader(applier, lambda: ready() is not False)
        leader.start()
        try:
            yield World(
                database,
                keyring,
                server,
                provisioned,
                applier,
                leader,
                Databases(applier, leader),
                accounts(database),
            )
        finally:
            leader.close()
