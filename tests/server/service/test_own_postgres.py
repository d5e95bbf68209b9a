"""`twinpress host` on a PostgreSQL that somebody else runs, from the preflight to a suspension."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from server.postgres.server import DatabaseServer
from tests.server.commands import twinpress
from tests.server.postgres.clusters import DEBIAN, dsn, foreign, limited, make_limited, needs_debian
from tests.server.service.hosting import Service, admin, hosting, opens
from tests.waiting import until

pytestmark = needs_debian
DSN = "TWINPRESS_POSTGRES_DSN"


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    """Debian's, whose operator has run the SQL of the preflight, as its limited administrator reaches it."""
    with limited() as prepared:
        yield prepared


@pytest.fixture
def address(server: DatabaseServer) -> Iterator[str]:
    """The connection string of a server that belongs to nobody yet."""
    yield dsn(server, "limited")
    with server.connect() as connection:
        found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'twinpress%'")
        for (template,) in found.fetchall():
            connection.execute(f"COMMENT ON DATABASE {template} IS NULL".encode())


def suspended(service: Service) -> str:
    """The address of its one account."""
    ((email,),) = service.database.read("SELECT email FROM accounts")
    return str(email)


def test_a_server_is_prepared_with_what_the_preflight_prints(data: Path) -> None:
    with foreign() as operated:
        make_limited(operated)
        extra = {DSN: dsn(operated, "limited")}
        refused = twinpress("host", "--data", data, "--port", "0", cwd=data.parent, **extra)
        assert (refused.returncode, "the PostgreSQL server is not prepared" in refused.stderr) == (2, True)
        assert "`twinpress db preflight` prints the SQL" in refused.stderr
        printed = twinpress("db", "preflight", cwd=data.parent, **extra)
        assert printed.returncode == 1
        login = operated.arguments("postgres", "psql")
        command = [DEBIAN / "psql", "-XqtA", "-v", "ON_ERROR_STOP=1", "-U", login["user"], "postgres"]
        place = ["-h", login["host"], "-p", str(login["port"])]
        subprocess.run(
            [*command, *place],
            input=printed.stdout,
            text=True,
            check=True,
            env={"PGPASSWORD": login["password"]},
        )
        assert twinpress("db", "preflight", cwd=data.parent, **extra).returncode == 0
        with hosting(data, "--port", "0", ready=False, **extra) as service:
            until(service.is_ready)
            made = service.client().create("orders")
            assert opens(made)
            assert made["version"].startswith(DEBIAN.parent.name)
            assert (made["host"], made["port"]) == (operated.host, operated.port)


def test_a_suspension_reaches_a_server_of_ones_own_with_and_without_a_service(
    data: Path, address: str
) -> None:
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
        made = service.client().create()
        email = suspended(service)
        with psycopg.connect(made["connection_uri"], autocommit=True) as session:
            # The service does it: the command needs the address only where none runs.
            assert admin(data, "account", "suspend", email).returncode == 0
            with pytest.raises(psycopg.OperationalError):
                session.execute("SELECT 1")
        assert not opens(made)
        assert admin(data, "account", "clear", email).returncode == 0
        assert opens(made)
    done = admin(data, "account", "suspend", email)
    assert (done.returncode, opens(made)) == (2, True)
    assert "the databases of this data folder are on the PostgreSQL server 127.0.0.1:" in done.stderr
    assert DSN in done.stderr
    done = admin(data, "account", "suspend", email, **{DSN: address})
    assert (done.returncode, done.stderr.count("\n"), opens(made)) == (0, 1, False)


def test_a_database_is_dumped_and_restored_with_the_servers_own_tools(data: Path, address: str) -> None:
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
        client = service.client()
        made, copy = client.create(), client.create()
        with psycopg.connect(made["connection_uri"], autocommit=True) as session:
            session.execute("CREATE TABLE t AS SELECT 7 AS n")
        file = data.with_name("t.dump")
        for command in (["dump", made["id"], "-o", str(file)], ["restore", copy["id"], str(file)]):
            done = twinpress("db", *command, "--data", data, cwd=data.parent, **{DSN: address})
            assert (done.returncode, done.stdout) == (0, ""), done.stderr
        with psycopg.connect(copy["connection_uri"], autocommit=True) as session:
            assert session.execute("TABLE t").fetchone() == (7,)


def test_a_server_belongs_to_one_data_folder(data: Path, address: str) -> None:
    other = data.with_name("other")
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
        done = twinpress("host", "--data", other, "--port", "0", cwd=data.parent, **{DSN: address})
        assert (done.returncode, "belongs to another data folder" in done.stderr) == (2, True)
        made = service.client().create()
    done = twinpress("host", "--data", other, "--port", "0", cwd=data.parent, **{DSN: address})
    assert (done.returncode, "COMMENT ON DATABASE twinpress_template_" in done.stderr) == (2, True)
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
        assert opens(made)


def test_a_server_that_is_away_at_the_start_is_told(data: Path) -> None:
    with foreign() as gone:
        address = dsn(gone, gone.user, gone.password)
    done = twinpress("host", "--data", data, "--port", "0", cwd=data.parent, **{DSN: address})
    assert (done.returncode, "the PostgreSQL server cannot be reached" in done.stderr) == (2, True)
    assert gone.password not in done.stderr


def test_a_service_that_is_started_on_another_kind_of_server_than_before_says_so(
    data: Path, address: str
) -> None:
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
    with hosting(data):  # nothing is there yet that could be missing
        pass
    with hosting(data, "--port", "0", ready=False, **{DSN: address}) as service:
        until(service.is_ready)
        service.client().create()
    done = twinpress("host", "--data", data, "--port", "0", cwd=data.parent)
    assert (done.returncode, "are on the PostgreSQL server 127.0.0.1:" in done.stderr) == (2, True)
    assert DSN in done.stderr


def test_databases_of_its_own_postgres_are_not_looked_for_elsewhere(data: Path, address: str) -> None:
    with hosting(data) as service:
        made = service.client().create()
    done = twinpress("host", "--data", data, "--port", "0", cwd=data.parent, **{DSN: address})
    assert (done.returncode, f"start without {DSN}" in done.stderr) == (2, True)
    with hosting(data):
        assert opens(made)
