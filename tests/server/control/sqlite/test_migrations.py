from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from server.control import ControlDatabase, NewerDatabase
from server.control.sqlite.database import Migration, known_migrations
from tests.waiting import PATIENCE, until

ONE = "CREATE TABLE one (\n    x INTEGER\n);\nINSERT INTO one VALUES (1); -- the first\n"
TWO = "-- a second table; and a row\nCREATE TABLE two (x INTEGER);\nINSERT INTO one VALUES (2);\n"
ENDLESS = """
INSERT INTO two (x)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT n FROM numbers;
"""
OPEN = """
import sys
from pathlib import Path
from server.control import ControlDatabase
from server.control.sqlite.database import known_migrations
ControlDatabase(Path(sys.argv[1]), known_migrations(Path(sys.argv[2])))
"""


def folder(place: Path, *scripts: str) -> tuple[Migration, ...]:
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for number, script in enumerate(scripts, 1):
        (place / f"{number:04}_step.sql").write_text(script)
    return known_migrations(place)


def applied(database: ControlDatabase) -> list[object]:
    return [row[0] for row in database.read("SELECT number FROM migrations ORDER BY number")]


def test_each_migration_is_applied_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    for scripts, rows in (((ONE,), 1), ((ONE, TWO), 2), ((ONE, TWO), 2)):
        with ControlDatabase(path, folder(tmp_path / "steps", *scripts)) as database:
            assert len(database.read("SELECT x FROM one")) == rows
            assert applied(database) == list(range(1, len(scripts) + 1))


def test_a_database_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    ControlDatabase(path, folder(tmp_path / "steps", ONE, TWO)).close()
    before = path.read_bytes()
    with pytest.raises(NewerDatabase) as refused:
        ControlDatabase(path, folder(tmp_path / "steps", ONE))
    assert (refused.value.path, bool(refused.value.hint)) == (str(path), True)
    assert path.read_bytes() == before


def test_a_migration_that_is_killed_in_its_middle_is_done_whole_at_the_next_start(tmp_path: Path) -> None:
    path, steps = tmp_path / "a.sqlite3", tmp_path / "steps"
    folder(steps, ONE, TWO + ENDLESS)
    log = path.with_name("a.sqlite3-wal")
    with subprocess.Popen([sys.executable, "-c", OPEN, path, steps]) as starting:
        try:
            # What does not fit into memory is on the disk by then.
            until(lambda: log.exists() and log.stat().st_size > 1 << 20)
            assert starting.poll() is None
        finally:
            starting.kill()
        assert starting.wait(PATIENCE) == -signal.SIGKILL
    with ControlDatabase(path, folder(steps, ONE)) as database:
        assert applied(database) == [1]
        assert database.read("SELECT name FROM sqlite_master WHERE name = 'two'") == []
    with ControlDatabase(path, folder(steps, ONE, TWO)) as database:
        assert applied(database) == [1, 2]
        assert database.read("SELECT x FROM one ORDER BY x") == [(1,), (2,)]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path, steps = tmp_path / "a.sqlite3", tmp_path / "steps"
    with pytest.raises(sqlite3.OperationalError, match="no such table") as failed:
        ControlDatabase(path, folder(steps, ONE, TWO + "INSERT INTO three VALUES (1);\n"))
    opened = {each.resolve() for each in Path("/proc/self/fd").iterdir()}
    assert not {each for each in opened if each.name.startswith(path.name)}, failed
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT x FROM one").fetchall() == [(1,)]
    with ControlDatabase(path, folder(steps, ONE, TWO)) as database:
        assert applied(database) == [1, 2]


@pytest.mark.parametrize("names", [["0002_a"], ["0001_a", "0003_b"], ["0001_a", "0001_b"]])
def test_migrations_with_a_gap_are_a_mistake_of_ours(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / f"{name}.sql").write_text(ONE)
    with pytest.raises(ValueError, match="one after the other"):
        known_migrations(tmp_path)


def test_a_script_that_ends_within_a_statement_is_a_mistake_of_ours(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="within a statement"):
        folder(tmp_path, "CREATE TABLE one (x INTEGER)\n")


def test_our_own_migrations_say_what_they_make() -> None:
    assert [migration.name for migration in known_migrations()] == [
        "0001_sites_and_keys.sql",
        "0002_accounts_and_databases.sql",
        "0003_old_rows_are_found_quickly.sql",
        "0004_databases_that_grow_are_shut.sql",
        "0005_sessions_are_ended_by_force.sql",
        "0006_repeats_are_counted.sql",
        "0007_people_sign_in.sql",
        "0008_sites_of_accounts.sql",
        "0009_site_previews.sql",
        "0010_addresses_are_confirmed.sql",
        "0011_sites_are_published.sql",
        "0012_sites_have_domains.sql",
        "0013_owners_are_told.sql",
        "0014_addresses_are_hidden.sql",
        "0015_writes_wait_for_a_release.sql",
        "0016_keys_change_navigation.sql",
    ]
