"""The server that Twinpress runs: what it is like, and who may come in."""

from __future__ import annotations

import shutil
import socket
import stat
import tempfile
from pathlib import Path

import psycopg
import pytest

from server.postgres.errors import EngineError, EngineRefused
from server.postgres.run.binaries import find
from server.postgres.run.embedded import Engine, embedded
from server.postgres.run.postgresql_conf import RESERVED
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.server import DatabaseServer
from tests.ports import free_port
from tests.server.postgres.clusters import PASSWORD, both, both_at_night, engine, quick, server_in

OTHER = "not the administrator's"


def ask(server: DatabaseServer, query: str) -> object:
    with server.connect() as connection:
        row = connection.execute(query.encode()).fetchone()
        return row and row[0]


def make_tenant(server: DatabaseServer, name: str = "db_tenant") -> str:
    with server.connect() as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'of the tenant'".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    return name


def enter(server: DatabaseServer, name: str, database: str = "", **more: object) -> psycopg.Connection:
    place = {"host": server.public_host, "port": server.public_port, "sslmode": server.public_sslmode}
    return psycopg.connect(**place | more, user=name, password="of the tenant", dbname=database or name)


@both
def test_a_server_comes_up_in_an_empty_folder_and_is_the_same_the_next_time(
    folder: Path, bin_dir: Path | None
) -> None:
    settings = quick(bin_dir=bin_dir)
    with embedded(folder / "postgres", settings, PASSWORD) as first:
        with first.server.connect() as connection:
            connection.execute("CREATE TABLE kept AS SELECT 17 AS number")
        assert ask(first.server, "SHOW server_version_num") == str(first.server.version)
        assert first.server.port == settings.port
    assert running(ServerFiles(folder / "postgres")) is None
    with embedded(folder / "postgres", settings, PASSWORD) as second:
        assert ask(second.server, "SELECT number FROM kept") == 17


@both
def test_passwords_are_scram_pages_have_checksums_and_texts_are_utf_8(bin_dir: Path | None) -> None:
    with engine(bin_dir=bin_dir) as made:
        settings = {"password_encryption": "scram-sha-256", "data_checksums": "on", "server_encoding": "UTF8"}
        assert {name: ask(made.server, f"SHOW {name}") for name in settings} == settings
        sql = "SELECT datcollate FROM pg_database WHERE datname = 'template0'"
        assert ask(made.server, sql) == "C.UTF-8"
        sql = "SELECT rolpassword FROM pg_authid WHERE rolcanlogin"
        assert str(ask(made.server, sql)).startswith("SCRAM-SHA-256$")
        assert ask(made.server, "SELECT lower('ÄŒ')") == "äœ"


@both_at_night
def test_nothing_secret_is_logged_and_limits_are_set(bin_dir: Path | None) -> None:
    with engine(bin_dir=bin_dir, max_connections=33) as made:
        expected = {
            "log_statement": "none",
            "log_min_error_statement": "panic",
            "log_parameter_max_length": "0",
            "log_parameter_max_length_on_error": "0",
            "log_error_verbosity": "terse",
            "log_replication_commands": "off",
            "debug_print_parse": "off",
            "temp_file_limit": "256MB",
            "autovacuum_multixact_freeze_max_age": "20000000",
            "max_connections": str(33 + RESERVED),
            "superuser_reserved_connections": str(RESERVED),
            "wal_level": "minimal",
        }
        assert {name: ask(made.server, f"SHOW {name}") for name in expected} == expected


def test_the_server_listens_on_loopback_alone() -> None:
    with engine() as made:
        assert ask(made.server, "SHOW listen_addresses") == "127.0.0.1"
        others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in others - {"127.0.0.1"}:
            if not str(address).startswith("127."):
                with pytest.raises(OSError, match="refused"):
                    socket.create_connection((str(address), made.server.port), timeout=2)


def test_tenants_come_in_when_it_is_open_and_only_to_their_own_database() -> None:
    with engine() as made:
        name = make_tenant(made.server)
        make_tenant(made.server, "db_other")
        with enter(made.server, name) as connection:
            assert connection.execute("SELECT current_user").fetchone() == (name,)
        for database in ("db_other", "postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
                enter(made.server, name, database)


@both_at_night
def test_it_is_closed_at_first_and_closing_holds_at_once(folder: Path, bin_dir: Path | None) -> None:
    settings = quick(bin_dir=bin_dir)
    with embedded(folder / "postgres", settings, PASSWORD) as made:
        name = make_tenant(made.server)
        refused = pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry")
        with refused:
            enter(made.server, name)
        for _ in range(10):
            made.open()
            kept = enter(made.server, name)
            made.close_to_tenants()
            with refused:
                enter(made.server, name)
            assert kept.execute("SELECT 1").fetchone() == (1,)
            kept.close()
        made.open()
    with embedded(folder / "postgres", settings, PASSWORD) as again, refused:
        enter(again.server, name)


def test_every_role_is_kept_from_the_common_databases_by_its_rights_too() -> None:
    with engine() as made:
        name = make_tenant(made.server)
        for database in ("postgres", "template1"):
            sql = f"SELECT has_database_privilege('{name}', '{database}', 'CONNECT')"
            assert ask(made.server, sql) is False


def test_tenants_have_no_way_through_the_socket(folder: Path) -> None:
    settings = quick()
    with server_in(folder / "postgres", settings) as made:
        made.open()
        name = make_tenant(made.server)
        run = folder / "postgres" / "run"
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            enter(made.server, name, host=str(run))
        arguments = made.server.arguments("postgres", "test") | {"host": str(run)}
        with psycopg.connect(**arguments) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(**arguments | {"password": OTHER})


def test_a_folder_too_deep_for_a_socket_is_served_without_one(folder: Path) -> None:
    deep = folder / ("d" * 100)
    deep.mkdir()
    with server_in(deep / "postgres", quick()) as made:
        assert ask(made.server, "SHOW unix_socket_directories") == ""


def test_a_folder_with_odd_signs_in_its_name_is_served(folder: Path) -> None:
    odd = folder / "a, 'b' \\ $c \"d\" ü"
    odd.mkdir()
    with embedded(odd, quick(), PASSWORD) as made:
        assert ask(made.server, "SHOW data_directory") == str(odd / "data")


def copied_to(folder: Path) -> Path:
    """The folder of the package's programs in a copy of all that they need."""
    package = find(None).folder.parents[1]
    shutil.copytree(package / "pginstall", folder / package.name / "pginstall")
    shutil.copytree(package.with_name(f"{package.name}.libs"), folder / f"{package.name}.libs")
    return folder / package.name / "pginstall" / "bin"


def test_programs_in_a_folder_with_odd_signs_in_its_name_make_a_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """initdb starts the server through a shell, to which such signs mean something."""
    odd = folder / 'a $c `d` "e" \\ f'
    programs = copied_to(odd)
    temporary = folder / "tmp"
    temporary.mkdir(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with embedded(folder / "postgres", quick(bin_dir=programs), PASSWORD) as made:
        assert ask(made.server, "SHOW server_version").startswith("1")
    assert not list(temporary.iterdir())


def test_without_any_folder_of_plain_name_the_way_out_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = folder / "a $c"
    programs = copied_to(odd)
    monkeypatch.setattr(tempfile, "tempdir", str(odd))
    with (
        pytest.raises(EngineError, match=r"initdb runs the server through a shell.*\(name a data folder"),
        embedded(folder / "postgres", quick(bin_dir=programs), PASSWORD),
    ):
        pass


def test_files_are_for_the_user_of_the_server_alone(folder: Path) -> None:
    root = folder / "postgres"
    with embedded(root, quick(), PASSWORD) as made:
        made.open()
        for path in (root / "data", root / "run"):
            about = path.stat()
            assert (stat.S_IMODE(about.st_mode), about.st_uid) == (0o700, made.user.uid)
        for name in ("server.log", "turn.lock", "services.lock", "data/pg_hba.conf", "data/twinpress.conf"):
            assert stat.S_IMODE((root / name).stat().st_mode) == 0o600, name
        assert not list(root.glob("new-*")), "what is needed to make it is gone"


def test_another_password_is_refused_and_the_server_does_not_go_on(folder: Path) -> None:
    settings = quick()
    with server_in(folder / "postgres", settings):
        pass
    with (
        pytest.raises(EngineRefused, match="password authentication failed") as caught,
        embedded(folder / "postgres", settings, OTHER),
    ):
        pass
    assert OTHER not in str(caught.value)
    assert running(ServerFiles(folder / "postgres")) is None


def test_a_port_of_another_program_is_a_clear_error(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(EngineError, match=rf"127\.0\.0\.1:{port}: the port is used by another program"),
            embedded(folder / "postgres", quick(port=port), PASSWORD),
        ):
            pass
    with server_in(folder / "postgres", quick(port=port)) as made:
        assert made.server.public_port == port


def test_what_the_server_says_is_in_the_error_of_its_start(folder: Path) -> None:
    settings = quick()
    with server_in(folder / "postgres", settings):
        pass
    with (folder / "postgres" / "data" / "postgresql.auto.conf").open("a") as file:
        file.write("shared_buffers = 'much'\n")
    with (
        pytest.raises(EngineError, match='invalid value for parameter "shared_buffers": "much"'),
        embedded(folder / "postgres", settings, PASSWORD),
    ):
        pass


def test_changed_settings_hold_from_the_next_start(folder: Path) -> None:
    port = free_port()
    for connections in (20, 30):
        settings = quick(port=port, max_connections=connections)
        with server_in(folder / "postgres", settings) as made:
            assert ask(made.server, "SHOW max_connections") == str(connections + RESERVED)


def test_the_environment_of_the_service_does_not_reach_the_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWINPRESS_MASTER_KEYS", "a master key")
    monkeypatch.setenv("PGOPTIONS", "-c nonsense=1")
    with server_in(folder / "postgres", quick()):
        found = running(ServerFiles(folder / "postgres"))
        assert found
        assert b"master key" not in Path(f"/proc/{found.pid}/environ").read_bytes()


def test_the_password_is_in_no_text_of_the_server() -> None:
    with engine() as made:
        assert isinstance(made, Engine)
        assert PASSWORD not in repr(made.server) + str(made.server) + repr(made.server.__rich_repr__())
        assert made.server.password == PASSWORD


def test_the_log_does_not_grow_without_end(folder: Path) -> None:
    root = folder / "postgres"
    with server_in(root, quick()) as made:
        log = root / "server.log"
        with log.open("ab") as file:
            file.write(b"x" * 1023 + b"\n")
            file.truncate(20 * 1024 * 1024)
        assert made.ensure() is False
        assert log.stat().st_size == 0
        assert (root / "server.old.log").stat().st_size == 1024 * 1024
        made.open()
        assert log.stat().st_size < 10_000
        assert b"reloading" in log.read_bytes()


@both_at_night
def test_a_session_that_wants_too_much_memory_gets_an_error_and_harms_nobody(bin_dir: Path | None) -> None:
    with engine(bin_dir=bin_dir, session_memory=256) as made, made.server.connect() as connection:
        with pytest.raises(psycopg.errors.OutOfMemory):
            connection.execute("SELECT length(repeat('x', 900 * 1024 * 1024))")
        assert connection.execute("SELECT 1").fetchone() == (1,)
