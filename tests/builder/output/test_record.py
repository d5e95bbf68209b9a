"""Removal from an output folder: only of what our own record says, whatever came with the folder."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from builder import user_folders
from builder.build import build
from builder.cache import checksum
from builder.cache.database import NAME
from builder.output import FolderOutput, written_files
from builder.output.manifest import GONE, RECORDS
from builder.output.written_files import Left, WrittenFiles, content_digest
from builder.plan.options import Options
from builder.store import state_of
from tests.server.commands import twinpress
from tests.sites import Files, write_site

SITE: Files = {"site.yml": "title: T\n", "docs/a.md": "# A\n", "docs/b.md": "# B\n"}
B = ("docs/b.html", "docs/b.md", "llms/docs/b.md")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def site(tmp_path: Path, state: Path) -> Path:
    return write_site(tmp_path / "site", SITE)


def built(site: Path, options: Options | None = None) -> FolderOutput:
    output = FolderOutput(site / "dist")
    build(site, output, options or Options())
    return output


def listed(out: Path) -> list[str]:
    files: list[str] = json.loads((out / "_tp/manifest.json").read_text())["files"]
    return files


def test_a_list_that_came_with_the_folder_removes_nothing(site: Path) -> None:
    mine = write_site(site / "dist", {"mine.txt": "precious", "docs/mine.html": "precious"})
    (mine / "_tp").mkdir()
    (mine / "_tp/old.0123456789.css").write_text("theirs")
    (mine / "_tp/unlisted.0123456789.css").write_text("theirs")
    files = ["mine.txt", "docs/mine.html", "_tp/old.0123456789.css", "gone.txt", "mine.txt/below"]
    (mine / "_tp/manifest.json").write_text(json.dumps({"files": files}))
    for _ in range(2):
        assert built(site).left == ("_tp/old.0123456789.css", "docs/mine.html", "mine.txt")
        assert (mine / "mine.txt").read_text() == "precious"
        assert (mine / "docs/mine.html").read_text() == "precious"
        assert (mine / "_tp/unlisted.0123456789.css").exists()


def test_a_list_that_is_changed_later_removes_nothing_either(site: Path) -> None:
    out = site / "dist"
    built(site)
    write_site(out, {"mine.txt": "precious"})
    (out / "_tp/manifest.json").write_text(json.dumps({"files": [*listed(out), "mine.txt"]}))
    (site / "docs/b.md").unlink()
    assert built(site).left == ("mine.txt",)
    assert (out / "mine.txt").read_text() == "precious"
    assert not any((out / name).exists() for name in B)


def test_a_folder_in_the_place_of_ours_is_none_that_we_wrote(site: Path) -> None:
    built(site)
    (site / "dist").rename(site / "away")  # which keeps its inode from the one to come
    shutil.copytree(site / "away", site / "dist")
    (site / "docs/b.md").unlink()
    assert set(B) <= set(built(site).left)
    assert (site / "dist/docs/b.html").exists()


def test_a_carried_folder_gets_right_pages_where_nothing_is_recorded(site: Path, tmp_path: Path) -> None:
    """A CI that restores the folder and the cache, and has a new home each time."""
    own = Options(trusted=True, cache="keep")
    built(site, own)
    shutil.rmtree(tmp_path / "state")
    write_site(site, {"docs/a.md": "# A\n\nAnew.\n"})
    (site / "docs/b.md").unlink()
    output = built(site, own)
    assert "Anew." in (site / "dist/docs/a.html").read_text()
    assert set(B) <= set(output.left)
    assert set(B) <= set(listed(site / "dist"))  # so that the next build tells of them again
    shutil.rmtree(site / "dist")
    fresh = built(site, own)
    assert fresh.left == ()
    assert not (site / "dist/docs/b.html").exists()


def test_a_page_is_written_whatever_a_carried_cache_says_of_it(site: Path, tmp_path: Path) -> None:
    """Even one that knows the inode and the times of a file that lies in its place."""
    own = Options(trusted=True, cache="keep")
    built(site, own)
    page = site / "dist/docs/a.html"
    right = page.read_bytes()
    page.write_bytes(b"evil")
    os.utime(page, (1, 1))
    forged(site, page, right)
    shutil.rmtree(tmp_path / "state")
    built(site, own)
    assert page.read_bytes() == right


def forged(site: Path, page: Path, right: bytes) -> None:
    """Have the cache say that the file is the one that was written."""
    with sqlite3.connect(site / ".twinpress/cache" / NAME) as connection:
        folder = str(site / "dist")
        [(data,)] = connection.execute("SELECT data FROM output WHERE folder = ?", (folder,)).fetchall()
        known = written_files.decode(checksum.opened(data, "output", folder))
        entry, left = known.before("docs/a.html"), Left(state_of(page.stat()), content_digest(right))
        changed = WrittenFiles(new=known.old)
        changed.note_written("docs/a.html", entry.key if entry else b"", left)
        value = checksum.sealed(changed.encode(), "output", folder)
        connection.execute("UPDATE output SET data = ? WHERE folder = ?", (value, folder))
    connection.close()


def test_the_command_says_what_is_left_and_how_to_be_rid_of_it(site: Path) -> None:
    write_site(site / "dist", {"mine.txt": "precious", "_tp/manifest.json": '{"files": ["mine.txt"]}'})
    done = twinpress("build", "--safe", cwd=site)
    assert done.returncode == 0
    assert "1 file of an earlier build left alone: mine.txt." in done.stderr
    assert "delete dist and build again" in done.stderr
    shutil.rmtree(site / "dist")
    assert "left alone" not in twinpress("build", "--safe", cwd=site).stderr


def test_where_nothing_can_be_recorded_the_build_goes_on_and_says_so(site: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        done = twinpress("build", cwd=site, XDG_STATE_HOME=str(tmp_path / "file"))
        assert done.returncode == 0
        assert "cannot be recorded" in done.stderr
        assert "XDG_STATE_HOME" in done.stderr
        write_site(site, {"docs/a.md": "# Another\n"})
    assert "Another" in (site / "dist/docs/a.html").read_text()


def test_a_damaged_record_removes_nothing(site: Path, state: Path) -> None:
    built(site)
    [record] = (state / "twinpress" / RECORDS).iterdir()
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_bytes(record.read_bytes()[:-5])
    (site / "docs/b.md").unlink()
    assert set(B) <= set(built(site).left)


def test_records_of_folders_that_are_long_gone_are_forgotten(site: Path, state: Path) -> None:
    folder = state / "twinpress" / RECORDS
    built(site)
    [old] = folder.iterdir()
    (site / "dist").rename(site / "away")
    os.utime(old, (1, 1))
    build(site, FolderOutput(site / "other"))
    assert [path.name for path in folder.iterdir()] == [user_folders.file_name(str(site / "other"))]
    assert GONE > 86_400
