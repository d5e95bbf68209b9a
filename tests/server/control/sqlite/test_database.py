from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from server.control import (
    ControlDatabase,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    KeyKind,
    SiteKeys,
    local_site,
)
from server.control.sqlite import connections, database_copy, database_file
from server.control.sqlite.database import Migration

WORDS = (Migration(1, "0001_words.sql", ("CREATE TABLE words (word TEXT NOT NULL UNIQUE)",)),)


def words(database: ControlDatabase) -> set[object]:
    return {row[0] for row in database.read("SELECT word FROM words")}


def _add(database: ControlDatabase, first: str, second: Callable[[], object]) -> None:
    """Two words in one change; the second is made when the first is written."""
    with database.change() as change:
        change.write("INSERT INTO words VALUES (?)", (first,))
        assert (first,) in change.read("SELECT word FROM words")
        change.write("INSERT INTO words VALUES (?)", (str(second()),))


def test_a_change_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "a.sqlite3", WORDS) as database:
        with pytest.raises(ZeroDivisionError):
            _add(database, "lost", lambda: 1 // 0)
        assert words(database) == set()
        assert database.write("INSERT INTO words VALUES (?), (?)", ("one", "two")) == 2
        assert words(database) == {"one", "two"}


def test_threads_share_a_database(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "a.sqlite3", WORDS) as database:

        def write(number: int) -> int:
            database.write("INSERT INTO words VALUES (?)", (str(number),))
            return len(words(database))

        with ThreadPoolExecutor(8) as pool:
            seen = list(pool.map(write, range(64)))
        assert max(seen) == 64
        assert len(words(database)) == 64


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "outer" / "state" / "a.sqlite3"
    with ControlDatabase(path, WORDS) as database:
        database.write("INSERT INTO words VALUES ('x')")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert len(modes) == 3  # with the log and its index
        assert set(modes.values()) == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_copy_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    ControlDatabase(path, WORDS).close()
    path.chmod(0o644)
    ControlDatabase(path, WORDS).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_database_that_is_removed_under_a_running_program_takes_its_keys_with_it(tmp_path: Path) -> None:
    path = tmp_path / "outer" / "state" / "a.sqlite3"
    with ControlDatabase(path, WORDS) as database:
        database.write("INSERT INTO words VALUES ('old')")
        shutil.rmtree(tmp_path / "outer")
        assert words(database) == set()
        with ControlDatabase(path, WORDS) as other:
            other.write("INSERT INTO words VALUES ('new')")
        assert words(database) == {"new"}


def test_a_database_that_is_put_in_place_of_another_is_read(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.sqlite3", tmp_path / "b.sqlite3"
    for each, word in ((path, "old"), (copy, "new")):
        with ControlDatabase(each, WORDS) as made:
            made.write("INSERT INTO words VALUES (?)", (word,))
    with ControlDatabase(path, WORDS) as database:
        assert words(database) == {"old"}
        copy.replace(path)
        assert words(database) == {"new"}


def test_a_site_that_was_moved_away_does_not_come_back(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "outer").mkdir(parents=True)
    with ControlDatabase(site / "outer" / "state" / "a.sqlite3", WORDS) as database:
        site.rename(tmp_path / "moved")
        with pytest.raises(DatabaseError, match="No such file"):
            words(database)
        assert not site.exists()
        (tmp_path / "moved").rename(site)
        assert words(database) == set()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    content = b"not a database, but long enough to be taken for one" * 40
    path = tmp_path / "a.sqlite3"
    path.write_bytes(content)
    with pytest.raises(DatabaseError, match="no database") as refused:
        ControlDatabase(path, WORDS)
    assert (refused.value.path, refused.value.hint) == (str(path), connections.REPLACE)
    assert path.read_bytes() == content


def test_an_empty_file_left_by_a_start_that_was_cut_off_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    path.touch(0o600)
    with ControlDatabase(path, WORDS) as database:
        assert words(database) == set()


def test_a_link_or_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    link, folder, file = tmp_path / "link.sqlite3", tmp_path / "folder.sqlite3", tmp_path / "file"
    link.symlink_to(tmp_path / "elsewhere")
    folder.mkdir()
    file.touch()
    for path in (link, folder, file / "a.sqlite3"):
        with pytest.raises(DatabaseError) as refused:
            ControlDatabase(path, WORDS)
        assert refused.value.hint
    assert not (tmp_path / "elsewhere").exists()


def test_a_writer_does_not_wait_forever_and_a_reader_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.01)
    path = tmp_path / "a.sqlite3"
    with ControlDatabase(path, WORDS) as one, ControlDatabase(path, WORDS) as other:
        with one.change() as change:
            change.write("INSERT INTO words VALUES ('x')")
            assert words(other) == set()
            with pytest.raises(DatabaseLocked):
                other.write("INSERT INTO words VALUES ('y')")
        assert words(other) == {"x"}
        assert other.write("INSERT INTO words VALUES ('y')") == 1


def test_who_opens_does_not_wait_for_ever_for_another_who_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_file, "PATIENCE", 0.05)
    path = tmp_path / "a.sqlite3"
    with database_file.prepared(path):
        with pytest.raises(DatabaseLocked, match="has been opening"):
            ControlDatabase(path, WORDS)
        assert path.read_bytes() == b""
    ControlDatabase(path, WORDS).close()


def test_a_copy_takes_no_file_s_place(tmp_path: Path) -> None:
    with (
        ControlDatabase(tmp_path / "a.sqlite3", WORDS) as one,
        ControlDatabase(tmp_path / "b", WORDS) as other,
    ):
        other.write("INSERT INTO words VALUES ('precious')")
        with pytest.raises(DatabaseError):
            one.copy_to(tmp_path / "b")
        assert words(other) == {"precious"}


def test_of_what_is_over_soon_nothing_stays_in_a_copy(tmp_path: Path) -> None:
    """Rows that were deleted may be in the file still, until it is made anew."""
    with ControlDatabase(tmp_path / "a.sqlite3") as database:
        with database.change() as change:
            for number in range(1000):
                change.write("INSERT INTO attempts VALUES (?, 1, 1)", (f"who tries {number}",))
        database.write("INSERT INTO settings VALUES ('spared:x', 'who is spared')")
        database.write("INSERT INTO settings VALUES ('kept', 'what is kept')")
        database.copy_to(tmp_path / "copy")
    assert b"who tries" in (tmp_path / "copy").read_bytes()
    database_copy.strip(tmp_path / "copy")
    data = (tmp_path / "copy").read_bytes()
    assert (b"who tries" in data, b"who is spared" in data, b"what is kept" in data) == (False, False, True)
    with closing(sqlite3.connect(tmp_path / "copy")) as copy:
        assert copy.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("copy")) == ["copy"]


def test_where_there_is_no_room_nothing_is_changed(tmp_path: Path) -> None:
    small = (*WORDS, Migration(2, "0002_small.sql", ("PRAGMA max_page_count = 8",)))
    with ControlDatabase(tmp_path / "a.sqlite3", small) as database:
        database.write("INSERT INTO words VALUES ('x')")
        with pytest.raises(DatabaseFull):
            _add(database, "y", lambda: "z" * 100_000)
        assert words(database) == {"x"}


def _descriptors() -> set[str]:
    return {each.name for each in Path("/proc/self/fd").iterdir()}


def test_a_closed_database_leaves_no_file_open(tmp_path: Path) -> None:
    before = _descriptors()
    with ControlDatabase(tmp_path / "a.sqlite3", WORDS) as database, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: words(database), range(16)))
        assert _descriptors() > before
    assert {file.name for file in tmp_path.iterdir()} == {"a.sqlite3"}  # the log is folded in
    assert _descriptors() <= before


def test_a_site_gets_its_id_once(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    with ControlDatabase(path) as database:
        site = local_site(database)
        assert len(site) == 16
        assert site.isalnum()
    with ControlDatabase(path) as database:
        assert local_site(database) == site


def test_a_key_of_no_site_cannot_be_made(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "a.sqlite3") as database:
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            SiteKeys(database).create(KeyKind.ONE_OFF, "nowhere")
        assert database.read("SELECT id FROM keys") == []
