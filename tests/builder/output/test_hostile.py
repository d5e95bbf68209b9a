"""An output folder that somebody prepared: nothing outside is touched, nothing foreign in it is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.build import build
from builder.errors import OutputError
from builder.output import FolderOutput
from tests.sites import Files, write_site

SITE: Files = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
PLACES = ["docs", "_tp", "llms", "docs/a.html", "index.html", "_tp/manifest.json"]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site", SITE)


def victim(folder: Path) -> Path:
    """A folder outside of the output folder, with one file at every name that a build would write."""
    for place in ("a.html", "a.md", "manifest.json", "docs/a.md", "404.html"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text("precious")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}


def listing(out: Path, *files: str, complete: bool = False) -> None:
    """The list that an earlier build is said to have left."""
    (out / "_tp").mkdir(parents=True, exist_ok=True)
    (out / "_tp/manifest.json").write_text(json.dumps({"complete": complete, "files": files}))


@pytest.mark.parametrize("listed", [(), ("docs/a.html", "docs/a.md", "llms/docs/a.md")])
@pytest.mark.parametrize("place", ["docs", "llms", "llms/docs"])
def test_a_link_in_the_way_to_a_file_is_refused_before_anything_is_written(
    tmp_path: Path, site: Path, place: str, listed: tuple[str, ...]
) -> None:
    out, other = site / "dist", victim(tmp_path / "other")
    listing(out, *listed)
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    (out / place).symlink_to(other)
    before = contents(tmp_path)
    with pytest.raises(OutputError, match="symbolic link"):
        build(site, FolderOutput(out))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("place", ["_tp", "_tp/manifest.json"])
def test_the_list_of_files_is_never_read_or_written_through_a_link(
    tmp_path: Path, site: Path, place: str
) -> None:
    out, other = site / "dist", victim(tmp_path / "other")
    (out / place).parent.mkdir(parents=True)
    (out / place).symlink_to(other if place == "_tp" else other / "manifest.json")
    with pytest.raises(OutputError, match="symbolic link"):
        build(site, FolderOutput(out))
    assert set(contents(other).values()) == {"precious"}


@pytest.mark.parametrize("end", [".tp-new", ".tmp", "~"])
def test_a_link_where_a_temporary_file_might_be_is_not_written_through(
    tmp_path: Path, site: Path, end: str
) -> None:
    out, other = site / "dist", victim(tmp_path / "other")
    (out / "docs").mkdir(parents=True)
    (out / f"docs/a.html{end}").symlink_to(other / "a.html")
    build(site, FolderOutput(out))
    assert set(contents(other).values()) == {"precious"}
    assert not (out / "docs/a.html").is_symlink()
    assert "<h1" in (out / "docs/a.html").read_text()


def test_a_listed_file_that_is_a_link_now_is_replaced_and_not_followed(tmp_path: Path, site: Path) -> None:
    out, other = site / "dist", victim(tmp_path / "other")
    build(site, FolderOutput(out))
    (out / "docs/a.html").unlink()
    (out / "docs/a.html").symlink_to(other / "a.html")
    build(site, FolderOutput(out))
    assert set(contents(other).values()) == {"precious"}
    assert not (out / "docs/a.html").is_symlink()


def test_an_unfinished_build_gives_no_right_to_foreign_files(tmp_path: Path, site: Path) -> None:
    out = site / "dist"
    (out / "docs").mkdir(parents=True)
    (out / "docs/a.html").write_text("precious")
    listing(out)
    with pytest.raises(OutputError, match=r"docs/a\.html.*earlier build"):
        build(site, FolderOutput(out))
    assert (out / "docs/a.html").read_text() == "precious"


def test_what_an_ended_process_was_writing_is_swept(tmp_path: Path, site: Path) -> None:
    out = site / "dist"
    build(site, FolderOutput(out))
    (out / "_tp/.tp-0123456789abcdef.tmp").write_text("half a pa")
    build(site, FolderOutput(out))
    assert not list(out.rglob("*.tmp"))


def test_an_output_folder_that_is_a_link_within_the_site_is_refused(tmp_path: Path, site: Path) -> None:
    other = victim(tmp_path / "other")
    (site / "dist").symlink_to(other)
    (site / "linked").symlink_to(other)
    before = contents(tmp_path)
    for out in (site / "dist", site / "linked/docs", site / "linked/new"):
        with pytest.raises(OutputError, match="symbolic link"):
            FolderOutput(out).begin(site)
    assert contents(tmp_path) == before
    assert not (other / "new").exists()


def test_an_output_folder_that_is_a_link_elsewhere_is_followed(tmp_path: Path, site: Path) -> None:
    (tmp_path / "release-1").mkdir()
    (tmp_path / "current").symlink_to(tmp_path / "release-1")
    build(site, FolderOutput(tmp_path / "current"))
    assert (tmp_path / "release-1/docs/a.html").is_file()


def test_a_link_elsewhere_that_leads_to_the_sources_is_refused(tmp_path: Path, site: Path) -> None:
    (tmp_path / "current").symlink_to(site / "docs")
    with pytest.raises(OutputError, match="docs"):
        FolderOutput(tmp_path / "current").begin(site)


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _huge(path: Path) -> None:
    """As large as no list is, without taking room on the disk."""
    path.touch()
    os.truncate(path, 1 << 40)


@pytest.mark.parametrize("make", [_fifo, _huge, Path.mkdir])
def test_a_list_of_files_that_is_none_is_refused_at_once(site: Path, make: Callable[[Path], None]) -> None:
    (site / "dist/_tp").mkdir(parents=True)
    make(site / "dist/_tp/manifest.json")
    with pytest.raises(OutputError, match="build again"):
        build(site, FolderOutput(site / "dist"))


@pytest.mark.parametrize(
    "name", [".git", ".git/hooks", ".GIT", "DOCS/x", "Static", "Pages", ".Twinpress/x", "x/.hg"]
)
def test_an_output_folder_where_others_keep_their_files_is_refused(site: Path, name: str) -> None:
    before = sorted(site.rglob("*"))
    with pytest.raises(OutputError, match=r"within `\.?[a-z]+`"):
        FolderOutput(site / name).begin(site)
    assert sorted(site.rglob("*")) == before


def test_a_file_may_become_a_folder_and_a_folder_a_file(tmp_path: Path, site: Path) -> None:
    first: Files = {"static/a/b": "1", "static/c": "2"}
    second: Files = {"static/a": "1", "static/c/d": "2"}
    for files in (first, second, first):
        shutil.rmtree(site / "static", ignore_errors=True)
        build(write_site(site, files), FolderOutput(site / "dist"))
        for file, text in files.items():
            assert (site / "dist" / file.removeprefix("static/")).read_text() == text
