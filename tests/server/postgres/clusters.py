"""Real servers for tests: run by ourselves, and Debian's as one that somebody else runs."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.postgres.external import as_found, external
from server.postgres.preflight import preflight
from server.postgres.remedies import Remedy, report
from server.postgres.run.embedded import Engine, embedded
from server.postgres.server import DatabaseServer
from server.postgres.server_settings import ServerSettings
from tests.memory import new_folder
from tests.ports import free_port

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
DEBIAN = FOUND[0].parent if FOUND else Path("/usr/lib/postgresql/15/bin")
"""The folder of Debian's programs, which are older than the package's; `.ci/postgres` brings them."""
needs_debian = pytest.mark.skipif(
    not FOUND and not os.environ.get("CI"), reason="there is no PostgreSQL of Debian's here: see .ci/postgres"
)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
both = pytest.mark.parametrize(
    "bin_dir", [None, pytest.param(DEBIAN, marks=needs_debian)], ids=["own", "debian"]
)
"""A test of both servers."""
both_at_night = pytest.mark.parametrize(
    "bin_dir",
    [None, pytest.param(DEBIAN, marks=[needs_debian, pytest.mark.slow])],
    ids=["own", "debian"],
)
"""The same for what does not depend on the server's version: Debian's is tried by `make slow`."""
PASSWORD = "of the administrator: 100%41 & $HOME"
PASSWORD_OF_LIMITED = "of-the-limited-one"


def quick(**settings: Any) -> ServerSettings:
    """Settings of a server that waits for no disk, on a free port."""
    return ServerSettings(**{"port": free_port(), "durable": False, "shared_buffers": 16, **settings})


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user can come to, which pytest's own are not."""
    folder = new_folder("tp-pg-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@cache
def _initialized(bin_dir: Path | None) -> Path:
    """A data directory that was made once in this process, by the programs in a folder."""
    folder = new_folder("tp-pg-")
    atexit.register(shutil.rmtree, folder)
    with embedded(folder / "postgres", quick(bin_dir=bin_dir), PASSWORD):
        pass
    return folder / "postgres/data"


@contextmanager
def server_in(folder: Path, settings: ServerSettings) -> Iterator[Engine]:
    """The server of a folder. A new one gets a copy of a data directory: to make one takes a second."""
    folder.mkdir(0o700, exist_ok=True)
    if not (folder / "data").exists() and not settings.run_user:
        subprocess.run(["cp", "-a", _initialized(settings.bin_dir), folder / "data"], check=True)
    with embedded(folder, settings, PASSWORD) as running:
        yield running


@contextmanager
def engine(**settings: Any) -> Iterator[Engine]:
    """A server in a new folder, open to tenants. What it holds is lost in a crash of the machine alone."""
    with open_folder() as folder, server_in(folder / "postgres", quick(**settings)) as running:
        running.open()
        yield running


@contextmanager
def cluster(**settings: Any) -> Iterator[DatabaseServer]:
    """The same, as its administrator reaches it: `with cluster(max_connections=20) as server`."""
    with engine(**settings) as running:
        yield running.server


@contextmanager
def foreign(bin_dir: Path | None = DEBIAN) -> Iterator[DatabaseServer]:
    """A server as somebody else's may be before the preflight, as its superuser reaches it.

    Every role may connect to every database, and `pg_hba.conf` is what Debian brings.
    """
    with cluster(bin_dir=bin_dir) as server, server.connect() as connection:
        row = connection.execute("SHOW hba_file").fetchone()
        assert row
        hosts = ("127.0.0.1/32", "::1/128")
        lines = ("local all all scram-sha-256", *(f"host all all {each} scram-sha-256" for each in hosts))
        Path(row[0]).write_text("\n".join(lines) + "\n")
        connection.execute("GRANT CONNECT ON DATABASE postgres, template1 TO PUBLIC")
        connection.execute("SELECT pg_reload_conf()")
        yield server


@contextmanager
def limited(bin_dir: Path | None = DEBIAN, *, advised: bool = False) -> Iterator[DatabaseServer]:
    """Somebody else's server, as an administrator reaches it that is no superuser.

    Its operator has run the SQL of the preflight: what must be, and with `advised` what should be too.
    """
    with foreign(bin_dir) as operated:
        make_limited(operated)
        server = external(dsn(operated, "limited"))
        found = report(preflight(server))
        apply(operated, found.problems + (found.advice if advised else ()))
        facts = preflight(server)
        assert not report(facts).problems, report(facts)
        yield as_found(server, facts)


def make_limited(operated: DatabaseServer) -> None:
    """Give the server a role `limited` that may log in, and nothing else."""
    with operated.connect() as connection:
        connection.execute(f"CREATE ROLE limited LOGIN PASSWORD '{PASSWORD_OF_LIMITED}'")


def dsn(server: DatabaseServer, user: str, password: str = PASSWORD_OF_LIMITED) -> str:
    """The connection string of a role."""
    return psycopg.conninfo.make_conninfo(host=server.host, port=server.port, user=user, password=password)


def apply(operated: DatabaseServer, remedies: tuple[Remedy, ...]) -> None:
    """Run what the preflight prints, as the operator would. A server of tests has no certificate."""
    with operated.connect() as connection:
        for statement in (each for remedy in remedies for each in remedy.sql):
            connection.execute(statement.encode())
