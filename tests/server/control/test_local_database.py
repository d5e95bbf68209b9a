from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from server.control import DatabaseError, local_database
from tests.builder.trees import scan


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_database_of_a_site_is_beside_its_pages_and_for_its_owner_alone(tmp_path: Path) -> None:
    local_database(tmp_path).close()
    state = tmp_path / ".twinpress/state"
    assert (mode(state), mode(state / "control.sqlite3")) == (0o700, 0o600)


def test_git_and_the_builder_see_nothing_of_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("a")
    before = scan(tmp_path)
    local_database(tmp_path).close()
    status = ["git", "-C", tmp_path, "status", "--porcelain", "--untracked-files=all"]
    assert subprocess.run(status, capture_output=True, text=True, check=True).stdout == "?? docs/a.md\n"
    assert scan(tmp_path) == before


def test_what_its_owner_wrote_about_git_stays(tmp_path: Path) -> None:
    ignore = tmp_path / ".twinpress/.gitignore"
    ignore.parent.mkdir()
    ignore.write_text("state\n")
    local_database(tmp_path).close()
    assert ignore.read_text() == "state\n"


def test_a_gitignore_that_was_cut_off_before_its_first_word_is_written_again(tmp_path: Path) -> None:
    ignore = tmp_path / ".twinpress/.gitignore"
    ignore.parent.mkdir()
    ignore.touch()
    local_database(tmp_path).close()
    assert ignore.read_text().endswith("\n*\n")


def test_a_gitignore_that_leads_out_of_the_site_is_not_followed(tmp_path: Path) -> None:
    ignore = tmp_path / "site/.twinpress/.gitignore"
    ignore.parent.mkdir(parents=True)
    ignore.symlink_to(tmp_path / "outside")
    with pytest.raises(DatabaseError):
        local_database(tmp_path / "site")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("name", [".twinpress", ".twinpress/state", ".twinpress/state/control.sqlite3"])
def test_a_link_out_of_the_site_is_refused(tmp_path: Path, name: str) -> None:
    outside, link = tmp_path / "outside", tmp_path / "site" / name
    outside.mkdir()
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(DatabaseError, match=r"link|no ordinary file"):
        local_database(tmp_path / "site")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["history/git.new", "history/git/objects/pack", "x/y/z", "control.sqlite3-wal"]
)
def test_a_link_anywhere_in_the_state_folder_is_refused(tmp_path: Path, name: str) -> None:
    """Files kept there would be written and removed at the other end of it."""
    outside, link = tmp_path / "outside", tmp_path / "site/.twinpress/state" / name
    outside.mkdir()
    (outside / "mine").touch()
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(DatabaseError, match="symbolic link") as refused:
        local_database(tmp_path / "site")
    assert (refused.value.path, refused.value.hint) == (str(link), "remove it")
    assert [each.name for each in outside.iterdir()] == ["mine"]


def test_a_pipe_in_the_state_folder_is_refused(tmp_path: Path) -> None:
    """A program that opened it would wait for ever."""
    pipe = tmp_path / ".twinpress/state/history/pending"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    with pytest.raises(DatabaseError, match="named pipe"):
        local_database(tmp_path)


def test_a_file_where_the_folder_belongs_is_told(tmp_path: Path) -> None:
    (tmp_path / ".twinpress").write_text("mine")
    with pytest.raises(DatabaseError) as refused:
        local_database(tmp_path)
    assert refused.value.path == str(tmp_path / ".twinpress")


def test_a_database_that_acts_by_itself_is_refused(tmp_path: Path) -> None:
    """It would give whoever packed the site a key for each that its writer makes."""
    local_database(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / ".twinpress/state/control.sqlite3")) as database:
        database.execute("CREATE TRIGGER more AFTER INSERT ON keys BEGIN SELECT 1; END")
    with pytest.raises(DatabaseError, match="triggers"):
        local_database(tmp_path)
