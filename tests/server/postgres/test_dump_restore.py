"""Dump and restore of one database."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from server.postgres.dump_restore import Form, Login, dump, restore
from server.postgres.errors import EngineMissing, ToolFailed
from server.postgres.run.binaries import PostgresPrograms, find, find_tools
from server.postgres.run.embedded import Engine
from server.postgres.server import DatabaseServer
from tests.server.postgres.clusters import DEBIAN, both, engine, needs_debian
from tests.server.postgres.dumped import SECRET, enter, filled, held, known, tenant
from tests.server.postgres.watching import recording


@both
@pytest.mark.parametrize("form", ["custom", "plain"])
def test_what_was_dumped_is_restored_into_another_tenants_database(
    tmp_path: Path, bin_dir: Path | None, form: Form
) -> None:
    with filled(bin_dir) as (made, login):
        file = tmp_path / "a dump"
        dump(made.programs, login, file, form)
        assert file.read_bytes().startswith(b"PGDMP") == (form == "custom")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert list(tmp_path.iterdir()) == [file]
        other = tenant(made.server, "db_empty")
        restore(made.programs, other, file)
        assert held(other) == held(login)
        with enter(other) as connection:
            owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname IN ('public', 'app')"
            assert connection.execute(owners).fetchall() == [("db_empty",)]
            comment = "SELECT obj_description('people'::regclass)"
            assert connection.execute(comment).fetchone() == ("who is there",)


@needs_debian
@pytest.mark.parametrize("form", ["custom", "plain"])
def test_a_dump_of_an_older_server_is_restored_into_a_newer_one(tmp_path: Path, form: Form) -> None:
    with filled(DEBIAN) as (older, login), engine() as newer:
        dump(older.programs, login, tmp_path / "dump", form)
        other = tenant(newer.server, "db_empty")
        restore(newer.programs, other, tmp_path / "dump")
        assert held(other) == held(login)


def test_an_extension_that_the_administrator_has_made_does_not_stop_a_restore(tmp_path: Path) -> None:
    with filled() as (made, login):
        dump(made.programs, login, tmp_path / "dump")
        other = tenant(made.server, "db_empty")
        with made.server.connect("db_empty") as connection:
            connection.execute("CREATE EXTENSION hstore")
        restore(made.programs, other, tmp_path / "dump")
        assert held(other) == held(login)


@pytest.mark.parametrize("form", ["custom", "plain"])
def test_a_restore_that_fails_changes_nothing_and_says_why(tmp_path: Path, form: Form) -> None:
    with filled() as (made, login):
        dump(made.programs, login, tmp_path / "dump", form)
        other = tenant(made.server, "db_taken")
        with enter(other) as connection:
            connection.execute("CREATE SCHEMA app; CREATE TABLE app.other (kept int)")
        with pytest.raises(ToolFailed, match=r'nothing was changed: .*schema "app" already exists'):
            restore(made.programs, other, tmp_path / "dump")
        with enter(other) as connection:
            tables = "SELECT tablename FROM pg_tables WHERE schemaname IN ('public', 'app')"
            assert connection.execute(tables).fetchall() == [("other",)]


def test_a_dump_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    with filled() as (made, login):
        file = tmp_path / "dump"
        file.write_text("the old one")
        wrong = Login(server=login.server, database=login.database, role=login.role, password="wrong")
        with pytest.raises(ToolFailed, match=r"pg_dump gave up.*password authentication failed"):
            dump(made.programs, wrong, file)
        with pytest.raises(ToolFailed, match="cannot be read or written: No such file"):
            dump(made.programs, login, tmp_path / "none" / "dump")
        with pytest.raises(ToolFailed, match="cannot be read or written: No such file"):
            restore(made.programs, login, tmp_path / "none")
        assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("dump", "the old one")]


def test_a_table_that_its_owner_keeps_locked_holds_up_a_dump_for_a_time_alone(tmp_path: Path) -> None:
    with filled() as (made, login), enter(login) as owner:
        owner.execute("BEGIN")
        owner.execute("LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(ToolFailed, match=r"pg_dump gave up.*timeout"):
            dump(made.programs, login, tmp_path / "dump", lock_seconds=1)
        owner.execute("ROLLBACK")
        dump(made.programs, login, tmp_path / "dump", lock_seconds=1)


def test_a_file_that_is_no_dump_is_refused(tmp_path: Path) -> None:
    with filled() as (made, login):
        for name, content in (("damaged", b"PGDMP nonsense"), ("text", b"not SQL;")):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(ToolFailed):
                restore(made.programs, login, tmp_path / name)


PIPED = """
import sys
from pathlib import Path
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.server import DatabaseServer
from server.postgres.dump_restore import Login, dump, restore
act, folder, version, host, port, name, password = sys.argv[1:]
place = {"host": host, "port": int(port), "public_host": host, "public_port": int(port)}
server = DatabaseServer(**place, user="-", password="")
login = Login(server=server, database=name, role=name, password=password)
{"dump": dump, "restore": restore}[act](PostgresPrograms(Path(folder), version), login, None)
"""


def piped(act: str, made: Engine, login: Login) -> list[str]:
    place = (login.server.host, str(login.server.port), login.database, login.password)
    return [sys.executable, "-c", PIPED, act, str(made.programs.folder), made.programs.version, *place]


def test_a_dump_goes_to_standard_output_and_comes_from_standard_input() -> None:
    with filled() as (made, login):
        other = tenant(made.server, "db_empty")
        done = subprocess.run(piped("dump", made, login), capture_output=True, check=True)
        assert done.stdout.startswith(b"PGDMP")
        subprocess.run(piped("restore", made, other), input=done.stdout, check=True)
        assert held(other) == held(login)


def test_passwords_are_on_no_command_line(tmp_path: Path) -> None:
    with filled() as (made, login):
        programs, command_lines = recording(made.programs, tmp_path)
        dump(programs, login, tmp_path / "dump")
        restore(programs, tenant(made.server, "db_empty"), tmp_path / "dump")
        said = command_lines.read_text()
        assert re.findall(r"^\S+/(\w+)", said, re.MULTILINE) == ["pg_dump", "pg_restore", "pg_restore"]
        assert SECRET not in said
        assert SECRET not in repr(login) + str(login.__rich_repr__())


def test_the_programs_know_nothing_of_the_services_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWINPRESS_MASTER_KEYS", "a master key")
    monkeypatch.setenv("PGOPTIONS", "-c nonsense=1")
    server = DatabaseServer(
        host="db.example.com",
        port=5433,
        user="admin",
        password="of the admin",
        sslmode="verify-full",
        public_host="db.example.com",
        public_port=5433,
        parameters=(("options", "-c lock_timeout=1000"), ("sslrootcert", "/ca.pem")),
    )
    given = Login(server=server, database="d", role="r", password="p").environment()
    assert given["PGOPTIONS"].startswith("-c lock_timeout=1000 -c local_preload_libraries= -c ")
    assert "nonsense" not in given["PGOPTIONS"]
    assert {name: value for name, value in given.items() if name not in os.environ} == {
        "LC_ALL": "C",
        "PGHOST": "db.example.com",
        "PGPORT": "5433",
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "/ca.pem",
        "PGDATABASE": "d",
        "PGUSER": "r",
        "PGPASSWORD": "p",
        "PGAPPNAME": "twinpress",
    }


def test_tools_come_from_the_named_folder_else_the_path_else_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    package = find(None).folder
    assert find_tools(None, known(180000)).folder == package
    with pytest.raises(EngineMissing, match=r"no pg_dump for PostgreSQL 99; there is: 18\..* in /"):
        find_tools(None, known(990000))
    with pytest.raises(EngineMissing, match="no pg_dump for PostgreSQL 18 with TLS"):
        find_tools(None, known(180000, "require"))


@needs_debian
def test_an_older_pg_dump_is_passed_over_for_a_newer_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(DEBIAN))
    major = PostgresPrograms(DEBIAN, DEBIAN.parent.name).major
    assert find_tools(None, known(major * 10000)).folder == DEBIAN
    assert find_tools(None, known(major * 10000, "verify-full")).folder == DEBIAN
    assert find_tools(None, known(180000)).folder == find(None).folder
    with pytest.raises(EngineMissing, match="no pg_dump for PostgreSQL 18"):
        find_tools(DEBIAN, known(180000))
