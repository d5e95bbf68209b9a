"""The data directory: whole or not there, and of the programs' version."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from server.postgres.errors import EngineError, EngineMissing
from server.postgres.run import cluster
from server.postgres.run.embedded import embedded
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from tests.ports import free_port
from tests.server.postgres.clusters import DEBIAN, PASSWORD, needs_debian, quick
from tests.server.postgres.starter import said, service
from tests.server.postgres.watching import command_lines
from tests.waiting import until

SECRET = "of one administrator: 100%41 & $HOME"
"""No other test has it, which may run at the same time."""


def works(folder: Path, **settings: object) -> bool:
    with embedded(folder, quick(**settings), PASSWORD) as engine, engine.server.connect() as connection:
        return connection.execute("SELECT 17").fetchone() == (17,)


@pytest.mark.parametrize(
    ("sign", "whole"),
    [
        pytest.param("new-*", False, marks=pytest.mark.slow),
        pytest.param("new-*/*/PG_VERSION", False, marks=pytest.mark.slow),
        ("new-*/*/base/1", False),
        pytest.param("data", True, marks=pytest.mark.slow),
    ],
)
def test_a_data_directory_whose_making_was_killed_is_made_anew(folder: Path, sign: str, whole: bool) -> None:
    """It is killed when something is there for the first time; what has its name by then is whole."""
    port = free_port()
    with service(folder, port) as first:
        until(lambda: bool(list(folder.glob(sign))))
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert (folder / "data").exists() is whole
    assert (folder / "data/pg_hba.conf").exists() is whole
    with service(folder, port) as second:
        answer = said(second)
        assert answer.get("pid"), answer
        second.send_signal(signal.SIGINT)
        second.wait()
    assert works(folder, port=port)
    assert not list(folder.glob("new-*"))


def test_a_machine_without_the_usual_locale_has_the_plain_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "LOCALES", ("xx_XX.UTF-8", "C"))
    with embedded(folder, quick(), PASSWORD) as engine, engine.server.connect() as connection:
        sql = "SELECT datcollate, pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'template0'"
        assert connection.execute(sql).fetchone() == ("C", "UTF8")


def test_an_initdb_that_fails_is_an_error_with_its_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_FIXED", ("--encoding=nonsense",))
    with pytest.raises(EngineError, match=r'not be created: .*"nonsense" is not a valid server encoding'):
        works(folder)
    assert not (folder / "data").exists()
    assert not list(folder.glob("new-*"))


BROKEN = """#!/bin/sh
for each do test "$last" = --pwfile && read -r password < "$each"; last=$each; done
echo "STATEMENT:  ALTER USER twinpress WITH PASSWORD E'$password';" >&2
exit 1
"""
"""An initdb whose server is ended while it sets the password, and says so."""


def test_an_initdb_that_fails_at_the_password_does_not_tell_it(folder: Path) -> None:
    programs = folder / "programs"
    programs.mkdir(mode=0o755)
    for name, text in {
        "postgres": "#!/bin/sh\necho 'postgres (PostgreSQL) 18.0'\n",
        "initdb": BROKEN,
    }.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    with pytest.raises(EngineError) as caught:
        works(folder / "postgres", bin_dir=programs)
    assert "WITH PASSWORD E'***'" in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_what_a_killed_start_has_left_is_removed(folder: Path) -> None:
    (folder / "new-left" / "C").mkdir(parents=True)
    (folder / "new-left" / "C" / "PG_VERSION").write_text("18\n")
    assert works(folder)
    assert not (folder / "new-left").exists()


@needs_debian
@pytest.mark.parametrize(("first", "second"), [(None, DEBIAN), (DEBIAN, None)], ids=["newer", "older"])
def test_data_of_another_major_version_are_refused_and_left_alone(
    folder: Path, first: Path | None, second: Path | None
) -> None:
    assert works(folder, bin_dir=first)
    had = (folder / "data" / "PG_VERSION").read_text().strip()
    with pytest.raises(EngineError) as caught, embedded(folder, quick(bin_dir=second), PASSWORD):
        pass
    said = str(caught.value)
    assert f"the data are of PostgreSQL {had}, and the programs of version " in said
    assert "dump each database with them" in said
    assert str(folder / "data") in said
    assert works(folder, bin_dir=first)


def test_a_folder_that_holds_something_else_is_refused(folder: Path) -> None:
    assert works(folder)
    (folder / "data" / "PG_VERSION").unlink()
    with pytest.raises(EngineError, match="no data directory of PostgreSQL"):
        works(folder)


def test_a_folder_without_programs_is_refused(folder: Path) -> None:
    with pytest.raises(EngineMissing, match=r"`postgres` does not run: .*No such file"):
        works(folder, bin_dir=folder)
    (folder / "postgres").write_text("#!/bin/sh\necho 'postgres of another kind'\n")
    (folder / "postgres").chmod(0o755)
    with pytest.raises(EngineMissing, match="calls itself 'postgres of another kind'"):
        works(folder, bin_dir=folder)


def test_the_password_is_on_no_command_line_in_no_file_and_not_in_the_log(folder: Path) -> None:
    with command_lines() as seen, embedded(folder, quick(), SECRET) as engine:
        engine.open()
        wrong = sql.SQL("ALTER ROLE twinpress PASSWORD {} nonsense").format(SECRET)
        with engine.server.connect() as connection, pytest.raises(psycopg.errors.SyntaxError):
            connection.execute(wrong)
    assert any(b"initdb" in each for each in seen)
    assert any(b"postgres\0-D" in each for each in seen)
    assert not [each for each in seen if SECRET.encode() in each]
    found = subprocess.run(["grep", "-rlaF", SECRET, folder], capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("", 1)


def test_links_of_the_servers_user_are_not_followed(folder: Path) -> None:
    """Somebody who has broken into the server must not get at root's files by what root writes there."""
    assert works(folder)
    ours = folder / "ours"
    ours.write_text("not for the server")
    data = folder / "data"
    for name in ("twinpress.conf", "pg_hba.conf"):
        (data / name).unlink()
        (data / name).symlink_to(ours)
    assert works(folder)
    assert not any(each.is_symlink() for each in data.iterdir())
    (data / "postgresql.conf").unlink()
    (data / "postgresql.conf").symlink_to(ours)
    with pytest.raises(EngineError, match="no link may stand there"):
        works(folder)
    assert ours.read_text() == "not for the server"


def test_nothing_runs_afterwards(folder: Path) -> None:
    assert works(folder)
    assert running(ServerFiles(folder)) is None
    here = [each for each in Path("/proc").iterdir() if each.name.isdigit() and _works_in(each, folder)]
    assert here == []


def _works_in(process: Path, folder: Path) -> bool:
    try:
        # One without a command line has given its memory back already, and is about to be gone.
        return (process / "cmdline").read_bytes() != b"" and folder in (process / "cwd").readlink().parents
    except OSError:
        return False
