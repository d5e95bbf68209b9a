"""The sink that writes a folder."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import pickle
import shutil
import threading
import time
from pathlib import Path

import pytest

from builder.errors import OutputError
from builder.output import FolderOutput
from builder.output.open_folders import MOST
from builder.store import state_of


def write(folder: Path, site: Path, files: dict[str, bytes]) -> None:
    output = FolderOutput(folder)
    output.begin(site)
    for path, data in files.items():
        output.write(path, data)
    output.finish()


def killed(folder: Path, site: Path) -> None:
    """A build that is ended before it has written down all that it does."""
    output = FolderOutput(folder)
    output.begin(site)
    output.close()


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_second_build_removes_what_only_the_first_wrote(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    write(out, site, {"a.html": b"1", "old/b.html": b"2"})
    (out / "CNAME").write_text("docs.example.com")
    write(out, site, {"a.html": b"1"})
    assert names(out) == {"a.html", "CNAME", "_tp/manifest.json"}
    assert not (out / "old").exists()


def test_an_unchanged_file_keeps_its_time(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    write(out, site, {"a.html": b"1"})
    os.utime(out / "a.html", (1, 1))
    write(out, site, {"a.html": b"1"})
    assert (out / "a.html").stat().st_mtime == 1


def test_a_foreign_file_is_never_written_over(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    out.mkdir()
    (out / "index.html").write_text("precious")
    with pytest.raises(OutputError, match=r"index\.html.*earlier build"):
        write(out, site, {"index.html": b"mine"})
    assert (out / "index.html").read_text() == "precious"


def test_an_interrupted_build_can_be_repeated(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    for _ in range(2):
        output = FolderOutput(out)
        output.begin(site, ["a.html", "b.html"])
        output.write("a.html", b"half")
        output.close()
    write(out, site, {"a.html": b"whole"})
    assert (out / "a.html").read_bytes() == b"whole"


HOUR = 3600
LEFT_OVER = [
    # path, seconds, whether it stays, and whether it does where builds cannot lock each other out
    ("_tp/search/d3.0a1b2c3d.json", 2 * HOUR, False, False),
    ("_tp/theme.0a1b2c3d4e.css", 2 * HOUR, False, False),
    ("_tp/search/d3.0a1b2c3d.json", 60, False, True),  # another build may be writing it
    ("_tp/search/notes.json", 2 * HOUR, True, True),
    ("d3.0a1b2c3d.json", 2 * HOUR, True, True),
]


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize(("path", "age", "stays", "without"), LEFT_OVER)
def test_what_an_interrupted_build_had_written_goes_in_the_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    age: int,
    stays: bool,
    without: bool,
    locks: bool,
) -> None:
    def refused(*_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    if not locks:
        monkeypatch.setattr(fcntl, "flock", refused)
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    write(out, site, {"a.html": b"a", "_tp/search/t0.00000000.json": b"{}"})
    killed(out, site)
    (out / path).write_bytes(b"half a build")
    then = time.time() - age
    os.utime(out / path, (then, then))
    write(out, site, {"a.html": b"a", "_tp/search/t0.00000000.json": b"{}"})
    assert (out / path).exists() == (stays if locks else without)
    assert (out / "_tp/search/t0.00000000.json").exists()


def test_half_a_file_of_a_killed_build_is_in_nobodys_way(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    path = "_tp/search/t0.0a1b2c3d.json"
    write(out, site, {"a.html": b"a"})
    killed(out, site)
    (out / path).parent.mkdir()
    (out / path).write_bytes(b"{")
    write(out, site, {"a.html": b"a", path: b"{}"})
    assert (out / path).read_bytes() == b"{}"


def test_where_no_build_has_been_such_a_file_is_somebodys(tmp_path: Path) -> None:
    site, path = tmp_path / "site", "_tp/search/t0.0a1b2c3d.json"
    site.mkdir()
    (tmp_path / "out" / path).parent.mkdir(parents=True)
    (tmp_path / "out" / path).write_bytes(b"{")
    with pytest.raises(OutputError, match="in the way"):
        write(tmp_path / "out", site, {path: b"{}"})
    assert (tmp_path / "out" / path).read_bytes() == b"{"


def test_a_build_waits_for_another_one_into_the_same_folder(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    first, done = FolderOutput(out), threading.Event()
    first.begin(site, ["a.html"])
    first.write("a.html", b"first")
    first.write("_tp/search/d0.00000000.json", b"premium")

    def second() -> None:
        output = FolderOutput(out, done.set)
        output.begin(site, ["a.html"])
        output.write("a.html", b"second")
        output.finish()

    other = threading.Thread(target=second)
    other.start()
    assert done.wait(10)
    assert (out / "a.html").read_bytes() == b"first"
    first.finish()
    other.join(10)
    assert (out / "a.html").read_bytes() == b"second"
    assert names(out) == {"a.html", "_tp/manifest.json"}


@pytest.mark.parametrize("name", [".", "..", "docs", "docs/x", "pages", "static", ".twinpress/cache"])
def test_an_output_folder_among_the_sources_is_refused(tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    (site / "docs").mkdir(parents=True)
    with pytest.raises(OutputError, match="output folder"):
        FolderOutput(site / name).begin(site)


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        FolderOutput(tmp_path / "out").begin(tmp_path / "site")


def test_a_broken_manifest_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "out/_tp").mkdir(parents=True)
    (tmp_path / "out/_tp/manifest.json").write_text("{")
    with pytest.raises(OutputError, match="build again"):
        FolderOutput(tmp_path / "out").begin(tmp_path / "site")


@pytest.mark.parametrize("path", ["../victim", "/etc/victim", "a/../../victim", "a\\..\\victim"])
def test_a_tampered_manifest_removes_nothing_outside(tmp_path: Path, path: str) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    (tmp_path / "victim").write_text("precious")
    (out / "_tp").mkdir(parents=True)
    quoted = path.replace("\\", "\\\\")
    (out / "_tp/manifest.json").write_text(f'{{"complete": true, "files": ["{quoted}"]}}')
    write(out, site, {"a.html": b"1"})
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_folder_swapped_for_a_link_loses_nothing_outside(tmp_path: Path) -> None:
    site, out, other = tmp_path / "site", tmp_path / "out", tmp_path / "other"
    site.mkdir()
    other.mkdir()
    (other / "b.html").write_text("precious")
    write(out, site, {"a.html": b"1", "old/b.html": b"2"})
    (out / "old/b.html").unlink()
    (out / "old").rmdir()
    (out / "old").symlink_to(other)
    write(out, site, {"a.html": b"1"})
    assert (other / "b.html").read_text() == "precious"


def test_files_are_copied_in_full(tmp_path: Path) -> None:
    data = os.urandom(3 << 20)
    output = FolderOutput(tmp_path / "out")
    output.begin(tmp_path / "site")
    (tmp_path / "clip.mp4").write_bytes(data)
    with (tmp_path / "clip.mp4").open("rb") as source:
        output.copy("clip.mp4", "static/clip.mp4", source)
    output.finish()
    assert (tmp_path / "out/clip.mp4").read_bytes() == data


def test_folders_that_somebody_removes_meanwhile_are_made_again(tmp_path: Path) -> None:
    output = FolderOutput(tmp_path / "out")
    output.begin(tmp_path)
    for name in ("docs/a/one.html", "_tp/x.css", "llms/docs/a/one.md"):
        output.write(name, b"1")
    for folder in ("docs", "_tp", "llms"):
        shutil.rmtree(tmp_path / "out" / folder)
    for name in ("docs/a/two.html", "docs/a/new/three.html", "_tp/y.css", "llms/docs/a/two.md"):
        output.write(name, b"2")
    output.finish()
    there = {"docs/a/two.html", "docs/a/new/three.html", "_tp/y.css", "llms/docs/a/two.md"}
    assert names(tmp_path / "out") == there | {"_tp/manifest.json"}


def open_files() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def test_more_folders_than_are_kept_open(tmp_path: Path) -> None:
    files = {f"docs/{n % 7}/{n}/page.html": f"{n}".encode() for n in range(2 * MOST)}
    before = open_files()
    write(tmp_path / "out", tmp_path, files)
    write(tmp_path / "out", tmp_path, {path: data + b"!" for path, data in files.items()})
    assert all((tmp_path / "out" / path).read_bytes() == data + b"!" for path, data in files.items())
    assert open_files() <= before


def test_a_writer_in_another_process_has_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / "out/docs").mkdir(parents=True)
    (tmp_path / "out/docs/foreign.html").write_bytes(b"precious")
    output = FolderOutput(tmp_path / "out")
    output.begin(tmp_path, {"docs/a.html"})
    there = pickle.loads(pickle.dumps(output.writer))
    left = there.write("docs/a.html", b"a")
    assert left.state == state_of((tmp_path / "out/docs/a.html").stat())
    with pytest.raises(OutputError, match="in the way"):
        there.write("docs/foreign.html", b"x")
    output.note_written("docs/a.html", b"key", left)
    output.finish()
    assert (tmp_path / "out/docs/foreign.html").read_bytes() == b"precious"
    assert names(tmp_path / "out") == {"docs/a.html", "docs/foreign.html", "_tp/manifest.json"}


def test_the_same_bytes_at_two_places_are_one_file_where_both_are_new(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for first, second in (("docs/a.md", "llms/docs/a.md"), ("docs/b.md", "llms/docs/b.md")):
        output = FolderOutput(out)
        output.begin(tmp_path, {first, second})
        left = output.writer.write_twice(first, second, b"one")
        assert (out / first).samefile(out / second)
        assert [state_of((out / name).stat()) for name in (first, second)] == [
            each.state for each in left if each
        ]
        again = output.writer.write_twice(first, second, b"two, longer")
        assert [(out / name).read_bytes() for name in (first, second)] == [b"two, longer"] * 2
        assert [state_of((out / name).stat()) for name in (first, second)] == [
            each.state for each in again if each
        ]
        (out / second).unlink()
        (out / second).symlink_to(tmp_path / "elsewhere")
        output.writer.write_twice(first, second, b"two, longer")
        assert (out / second).read_bytes() == b"two, longer"
        assert not (out / second).is_symlink()
        output.finish()
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_is_no_earlier_build_s_is_no_second_name_either(tmp_path: Path) -> None:
    (tmp_path / "out/llms").mkdir(parents=True)
    (tmp_path / "out/llms/a.md").write_bytes(b"precious")
    output = FolderOutput(tmp_path / "out")
    output.begin(tmp_path)
    with pytest.raises(OutputError, match="in the way"):
        output.writer.write_twice("a.md", "llms/a.md", b"new")
    assert (tmp_path / "out/llms/a.md").read_bytes() == b"precious"
