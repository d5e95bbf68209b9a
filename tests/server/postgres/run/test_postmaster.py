"""The server's process: killed, found again, shared by several services, and never taken for another one."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from server.postgres.errors import EngineError, EngineUnavailable
from server.postgres.run.embedded import Engine
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from tests.ports import free_port
from tests.server.postgres.clusters import both_at_night, quick, server_in
from tests.server.postgres.starter import end, said, service
from tests.server.postgres.watching import gone, pid_of
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until


@both_at_night
def test_a_server_that_was_killed_is_started_again(folder: Path, bin_dir: Path | None) -> None:
    with server_in(folder, quick(bin_dir=bin_dir)) as engine:
        assert engine.ensure() is False
        engine.server.connect().execute("CREATE TABLE kept AS SELECT 17 AS number").connection.close()
        first = pid_of(folder)
        os.kill(first, signal.SIGKILL)
        until(lambda: running(ServerFiles(folder)) is None)
        with pytest.raises(EngineUnavailable, match="cannot be reached"):
            engine.server.connect()
        assert engine.ensure() is True
        assert pid_of(folder) != first
        with engine.server.connect() as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (17,)


def test_sessions_that_a_killed_server_left_do_not_keep_it_down(folder: Path) -> None:
    with server_in(folder, quick()) as engine:
        connection = engine.server.connect()
        session = connection.info.backend_pid
        busy = threading.Thread(target=_count_for_ever, args=(connection,))
        busy.start()
        until(lambda: _is_counting(engine))
        os.kill(pid_of(folder), signal.SIGKILL)
        until(lambda: running(ServerFiles(folder)) is None)
        assert not gone(session), "it counts on, and holds the shared memory"
        with in_time(PATIENCE):
            assert engine.ensure() is True
        assert gone(session)
        busy.join()


def _count_for_ever(connection: psycopg.Connection) -> None:
    long = "generate_series(1, 1000000)"
    with pytest.raises(psycopg.OperationalError):
        connection.execute(f"SELECT count(*) FROM {long} a, {long} b".encode())


def _is_counting(engine: Engine) -> bool:
    with engine.server.connect() as connection:
        query = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series(1,%'"
        return connection.execute(f"{query} AND pid <> pg_backend_pid()".encode()).fetchone() is not None


def test_a_server_that_was_killed_is_closed_until_somebody_opens_it_who_has_seen_to_it(folder: Path) -> None:
    with server_in(folder, quick()) as engine:
        with engine.server.connect() as connection:
            connection.execute("CREATE ROLE db_t LOGIN PASSWORD 'x'")
            connection.execute("CREATE DATABASE db_t")
        tenant = {"host": "127.0.0.1", "port": engine.server.port, "user": "db_t", "password": "x"}
        engine.open()
        psycopg.connect(**tenant).close()
        os.kill(pid_of(folder), signal.SIGKILL)
        until(engine.ensure)
        with pytest.raises(EngineUnavailable, match="was restarted"):
            engine.open(lambda: False)
        with pytest.raises(psycopg.OperationalError, match="pg_hba"):
            psycopg.connect(**tenant)
        engine.open(lambda: True)
        psycopg.connect(**tenant).close()


def test_a_server_whose_session_has_crashed_does_not_open_by_itself(folder: Path) -> None:
    with server_in(folder, quick()) as engine:
        engine.open()
        with engine.server.connect() as session, suppress(psycopg.OperationalError):
            os.kill(session.info.backend_pid, signal.SIGKILL)
            session.execute("SELECT 1")
        until(lambda: running(ServerFiles(folder)) is None)
        assert engine.ensure() is True
        assert "samerole" not in (folder / "data" / "pg_hba.conf").read_text()


@pytest.mark.parametrize("name", ["sleep", "postgres"])
def test_the_number_of_a_dead_server_may_belong_to_another_program(folder: Path, name: str) -> None:
    settings = quick()
    with server_in(folder, settings) as engine:
        options = engine.user.options() | {"cwd": folder / "data" if name == "sleep" else "/"}
        lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
    program = folder / name
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "60"], **options) as other:
        try:
            until(lambda: Path(f"/proc/{other.pid}/comm").read_text().strip() == name)
            stale = folder / "data" / "postmaster.pid"
            stale.write_text("\n".join([str(other.pid), *lines[1:]]) + "\n")
            os.chown(stale, (folder / "data").stat().st_uid, -1)
            assert running(ServerFiles(folder)) is None
            with server_in(folder, settings) as engine:
                assert pid_of(folder) != other.pid
            assert other.poll() is None, "the other program was left alone"
        finally:
            other.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_whose_service_was_killed_goes_on_and_is_adopted(folder: Path, number: int) -> None:
    port = free_port()
    with service(folder, port) as first:
        pid = said(first)["pid"]
        end(first, number)
    assert not gone(pid)
    with service(folder, port) as second:
        assert said(second)["pid"] == pid
        assert end(second) == 130
    assert gone(pid), "who has adopted it stops it"


def test_an_adopted_server_is_closed_to_tenants_and_keeps_their_sessions(folder: Path) -> None:
    settings = quick()
    with server_in(folder, settings) as engine, engine.server.connect() as connection:
        connection.execute("CREATE ROLE db_t LOGIN PASSWORD 'x'")
        connection.execute("CREATE DATABASE db_t")
    with service(folder, settings.port) as first:
        pid = said(first)["pid"]
        with (folder / "data" / "pg_hba.conf").open("a") as file:
            file.write("host samerole all 127.0.0.1/32 scram-sha-256\n")
        os.kill(pid, signal.SIGHUP)
        tenant = {"host": "127.0.0.1", "port": settings.port, "user": "db_t", "password": "x"}
        kept = _connected(tenant)
        end(first, signal.SIGKILL)
    with service(folder, settings.port) as second:
        assert said(second)["pid"] == pid
        with pytest.raises(psycopg.OperationalError, match="pg_hba"):
            psycopg.connect(**tenant)
        assert kept.execute("SELECT 1").fetchone() == (1,)
        kept.close()
        end(second)


def _connected(tenant: dict[str, object]) -> psycopg.Connection:
    found: list[psycopg.Connection] = []

    def tried() -> bool:
        try:
            found.append(psycopg.connect(**tenant))
        except psycopg.OperationalError:
            return False
        return True

    until(tried)
    return found[0]


def test_an_adopted_server_is_started_anew_when_its_settings_have_changed(folder: Path) -> None:
    with service(folder, free_port()) as first:
        pid = said(first)["pid"]
        end(first, signal.SIGKILL)
    other = free_port()
    with service(folder, other) as second:
        assert said(second)["pid"] != pid
        end(second)
    assert gone(pid)


def test_ctrl_c_in_the_terminal_of_the_service_does_not_reach_the_server(folder: Path) -> None:
    with service(folder, free_port()) as first:
        pid = said(first)["pid"]
        assert os.getsid(pid) == pid != os.getsid(first.pid)
        assert end(first, signal.SIGINT) == 130
    assert gone(pid)


def test_a_server_that_cannot_be_started_again_is_an_error_each_time(folder: Path) -> None:
    with server_in(folder, quick()) as engine:
        os.kill(pid_of(folder), signal.SIGKILL)
        until(lambda: running(ServerFiles(folder)) is None)
        control = folder / "data" / "global" / "pg_control"
        control.rename(folder / "kept")
        for _ in range(2):
            with pytest.raises(EngineError, match="could not find the database system"):
                engine.ensure()
        (folder / "kept").rename(control)
        assert engine.ensure() is True
