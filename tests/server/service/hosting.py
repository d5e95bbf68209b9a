"""`twinpress host` as a process: accounts, keys, its PostgreSQL, and a client of its API.

Each answer to the client must be as the document says. At its end the service must go with exit code 0, and
no key, password or verifier may stand in what it or its PostgreSQL has said.
"""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from server.authoring.group import GROUP as PAGES
from server.control.accounts.account import Account
from server.control.keys.management_keys import ManagementKeys
from server.control.plans import PlanName
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.databases.database_group import GROUP
from server.service.postgres_server import reached
from tests.server.api.described import Described
from tests.server.api.exchange import Reply, exchange
from tests.server.commands import COMMAND, Preview, running, twinpress
from tests.server.control.people import accounts
from tests.server.forked_command import ForkedCommand
from tests.waiting import PATIENCE, until

BASE = "/api/v1/db"
DATABASES = f"{BASE}/databases"
DESCRIBED = Described(PAGES, GROUP)
VERIFIER = "SCRAM-SHA-256$"


@dataclass(slots=True)
class Service:
    """A running service. `secrets` are what was told to clients, and to nobody else."""

    preview: Preview
    data: Path
    database: ControlDatabase
    secrets: set[str] = field(default_factory=set)

    @property
    def process(self) -> subprocess.Popen[bytes] | ForkedCommand:
        """The process itself."""
        return self.preview.process

    @property
    def said(self) -> str:
        """All that it has said so far."""
        return "\n".join([*self.preview.lines, *self.preview.results])

    def account(self, plan: PlanName = "premium") -> Account:
        """A new account."""
        return accounts(self.database).create(
            f"{secrets.token_hex(6)}@example.org", secrets.token_hex(9), plan
        )

    def key(self, account: Account) -> str:
        """A new key of an account."""
        text = ManagementKeys(self.database).create(account.id).text
        self.secrets.add(text)
        return text

    def client(self, plan: PlanName = "premium") -> Client:
        """A client of a new account."""
        account = self.account(plan)
        return Client(self, self.key(account), account)

    def is_ready(self) -> bool:
        """Ask `/healthz` whether the service is ready."""
        return self.preview.get("/healthz").status == 200

    def administrator(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A session of PostgreSQL's administrator."""
        server = reached(self.data, self.database, "")
        assert server
        return server.connect()

    def kill(self) -> None:
        """As the operating system does when memory is short."""
        self.process.kill()
        self.process.wait(PATIENCE)


@dataclass(frozen=True, slots=True)
class Client:
    """Asks with a key; `key` may be "" for none."""

    service: Service
    key: str
    account: Account

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """One request, whose answer must be as the document says. A body that is no bytes is sent as JSON."""
        reply = exchange(self.service.preview.port, method, path, self.key, body, **headers)
        DESCRIBED.check(method, path, reply.status, reply.headers, reply.body)
        self._keep(reply)
        return reply

    def with_key(self, key: str) -> Client:
        """The same with another key."""
        return Client(self.service, key, self.account)

    def create(self, name: str | None = None, **headers: str) -> Any:
        """A new database."""
        reply = self.ask("POST", DATABASES, {} if name is None else {"name": name}, **headers)
        assert reply.status == 201, reply.body
        return reply.data

    def reveal(self, id: str) -> Any:
        """One database with its password."""
        reply = self.ask("GET", f"{DATABASES}/{id}")
        assert reply.status == 200, reply.body
        return reply.data

    def rotate(self, id: str, **body: object) -> Any:
        """The same with a new password."""
        reply = self.ask("POST", f"{DATABASES}/{id}/rotate", body or None)
        assert reply.status == 200, reply.body
        return reply.data

    def list(self, query: str = "") -> Any:
        """One page of the list."""
        reply = self.ask("GET", DATABASES + query)
        assert reply.status == 200, reply.body
        return reply.data

    def _keep(self, reply: Reply) -> None:
        with suppress(ValueError, KeyError, TypeError):
            self.service.secrets.add(reply.json["data"]["password"])


def connect(uri: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection with the string that was answered."""
    return psycopg.connect(uri, autocommit=True, connect_timeout=10)


def opens(made: dict[str, Any], password: str = "") -> bool:
    """Return whether a password opens a database: the one that was answered with it, or another."""
    uri = made["connection_uri"].replace(made["password"], password or made["password"])
    try:
        connect(uri).close()
    except psycopg.OperationalError:
        return False
    return True


def admin(data: Path, *arguments: str, password: str = "", **extra: str) -> subprocess.CompletedProcess[str]:
    """`twinpress admin` on a data folder; `password` is what is piped into it, `extra` its environment."""
    words = ("admin", "--data", data, *arguments)
    return twinpress(*words, cwd=data.parent, given=f"{password}\n", patience=PATIENCE * 3, **extra)


def administer(service: Service, *arguments: str) -> str:
    """The same for a running service, which must succeed; gives what it prints."""
    done = admin(service.data, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def hosting(
    data: Path, *arguments: str, ready: bool = True, forked: bool = True, **extra: str
) -> Iterator[Service]:
    """A service on a data folder, on a free port; `extra` is added to its environment."""
    command = [COMMAND, "host", "--data", data, *(arguments or ("--port", "0", "--requests", "0"))]
    with running(command, forked=forked, **extra) as preview, open_data(data) as database:
        service = Service(preview, data, database)
        if ready:
            until(service.is_ready)
            hurry(service)
        yield service
    assert_silent(service)


def hurry(service: Service) -> None:
    """Have PostgreSQL not wait for the disk: what it holds is lost in a crash of the machine alone."""
    with service.administrator() as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")


def assert_silent(service: Service) -> None:
    """Nothing secret stands in what the service has said, nor in the log of its PostgreSQL."""
    assert not [place for place, said in _heard(service) for each in _secrets(service) if each in said]


def _heard(service: Service) -> Iterator[tuple[str, str]]:
    yield "what the service said", service.said
    log = service.data / "postgres/server.log"
    yield "the log of PostgreSQL", log.read_text(errors="replace") if log.exists() else ""


def _secrets(service: Service) -> Iterator[str]:
    yield from (VERIFIER, *service.secrets)
    if (service.data / "master.keys").exists():
        yield from keys_of(service.data)


def keys_of(data: Path) -> list[str]:
    """The lines of the file of master keys, but for comments."""
    lines = (data / "master.keys").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]
