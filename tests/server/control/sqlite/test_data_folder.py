from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from server.control import DatabaseError
from server.control.sqlite.data_folder import existing_data, open_data

EXPECTED = 0o711 if os.geteuid() == 0 else 0o700


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_made_and_its_files_are_for_its_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "srv" / "data"
    with open_data(data) as database:
        database.write("INSERT INTO settings (name, value) VALUES ('a', 'b')")
        assert {mode(each) for each in data.iterdir()} == {0o600}
    assert mode(data) == EXPECTED
    with existing_data(data) as database:
        assert database.read("SELECT value FROM settings") == [("b",)]


@pytest.mark.skipif(os.geteuid() != 0, reason="what root makes others must pass")
def test_root_lets_the_user_of_postgres_pass_through_a_folder_that_is_there(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    open_data(tmp_path).close()
    assert mode(tmp_path) == 0o711


def test_another_mode_of_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    open_data(tmp_path).close()
    assert mode(tmp_path) == 0o755


def test_a_folder_that_anybody_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(DatabaseError, match="anybody") as refused:
        open_data(tmp_path)
    assert (refused.value.path, bool(refused.value.hint)) == (str(tmp_path), True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(DatabaseError):
        open_data(tmp_path / "data")


def test_a_mistyped_folder_is_not_made(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(DatabaseError, match="no data") as refused:
            existing_data(folder)
        assert refused.value.hint
    assert list(tmp_path.iterdir()) == []
