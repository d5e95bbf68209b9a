"""A folder of releases: what readers have is always a whole release, whoever is killed at whatever step."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.errors import OutputError
from server.static_targets.release_folder import CURRENT, RELEASES, ReleaseFolder, released
from server.static_targets.static_output import LinkingWriter
from tests.server.static_targets.killed_publisher import DONE, KILLED, KilledPublisher, killed_publisher

Content = Mapping[str, str]
NEVER = 10_000
KEEP = 3


def put(target: ReleaseFolder, site: Path, files: Content, keep: int = 10) -> int:
    """Publish files."""
    with target.locked(site), target.staged() as output:
        for path, text in files.items():
            output.write(path, text.encode())
        number = target.publish(output, len(files), "").number
        target.delete_old(keep)
    return number


def held(folder: Path) -> Content:
    """The files below a folder, with their texts."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def rubbish(folder: Path) -> list[str]:
    """List what is neither a release nor its record, nor leads to one."""
    beside = {path.name for path in folder.iterdir()} - {CURRENT, RELEASES}
    names = {path.name for path in (folder / RELEASES).iterdir()}
    whole = {name for number in names for name in (number, f"{number}.json") if number.isdecimal()}
    return sorted(beside | (names ^ whole))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


@pytest.fixture
def target(tmp_path: Path) -> ReleaseFolder:
    return ReleaseFolder(tmp_path / "out")


def test_a_release_is_at_current_and_the_one_before_stays(target: ReleaseFolder, site: Path) -> None:
    assert (target.current, target.numbers()) == (0, [])
    assert put(target, site, {"index.html": "1", "a/b.html": "b"}) == 1
    assert put(target, site, {"index.html": "2"}) == 2
    assert held(target.folder / CURRENT) == {"index.html": "2"}
    assert held(target.path(1)) == {"index.html": "1", "a/b.html": "b"}
    assert str((target.folder / CURRENT).readlink()) == "releases/2"
    assert released(target.folder) == target.path(2)
    assert rubbish(target.folder) == []


def test_what_is_the_same_lies_on_the_disk_once(target: ReleaseFolder, site: Path) -> None:
    put(target, site, {"same.html": "same", "other.html": "one", "gone.html": "x"})
    put(target, site, {"same.html": "same", "other.html": "two", "new.html": "x"})
    inodes = [(target.path(number) / "same.html").stat().st_ino for number in (1, 2)]
    assert inodes[0] == inodes[1]
    assert (target.path(1) / "other.html").read_text() == "one"


def test_copied_files_are_shared_too(target: ReleaseFolder, site: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    for data in (b"x" * 3_000_000, b"x" * 3_000_000, b"x" * 2_999_999 + b"y"):
        picture.write_bytes(data)
        with target.locked(site), target.staged() as output, picture.open("rb") as source:
            output.copy("picture.png", "static/picture.png", source)
            target.publish(output, 0, "")
    first, second, third = ((target.path(number) / "picture.png").stat().st_ino for number in (1, 2, 3))
    assert first == second != third
    assert (target.path(3) / "picture.png").read_bytes() == picture.read_bytes()


def test_files_that_came_changed_or_went_are_counted(target: ReleaseFolder, site: Path) -> None:
    put(target, site, {"same.html": "same", "other.html": "one", "gone.html": "x"})
    with target.locked(site), target.staged() as output:
        for path, text in {"same.html": "same", "other.html": "two", "new.html": "x"}.items():
            output.write(path, text.encode())
        assert output.count_new() == 3
    # On a file system without second names the bytes tell.
    other = target.path(1) / "same.html"
    other.unlink()
    other.write_text("same")
    with target.locked(site), target.staged() as output:
        for path, text in {"same.html": "same", "other.html": "one", "gone.html": "x"}.items():
            output.write(path, text.encode())
        (output.made / "same.html").unlink()
        (output.made / "same.html").write_text("same")
        assert output.count_new() == 0
    assert rubbish(target.folder) == []


def test_rolling_back_gives_the_release_before_or_the_named_one(target: ReleaseFolder, site: Path) -> None:
    for text in "1234":
        put(target, site, {"index.html": text})
    with target.locked(site):
        assert target.roll_back(None) == 3
        assert target.roll_back(None) == 2
        assert held(target.folder / CURRENT) == {"index.html": "2"}
        assert target.roll_back(4) == 4
        with pytest.raises(OutputError, match="no release 9"):
            target.roll_back(9)
        target.roll_back(1)
        with pytest.raises(OutputError, match="no release before"):
            target.roll_back(None)
    assert put(target, site, {"index.html": "5"}) == 5


def test_old_releases_are_deleted_but_for_the_live_one(target: ReleaseFolder, site: Path) -> None:
    for text in "123":
        put(target, site, {"index.html": text})
    with target.locked(site):
        target.roll_back(1)
        assert target.delete_old(1) == [2]
    assert target.numbers() == [3, 1]
    put(target, site, {"index.html": "4"}, keep=2)
    assert target.numbers() == [4, 3]
    assert rubbish(target.folder) == []


def test_records_say_when_and_of_what_a_release_was_made(target: ReleaseFolder, site: Path) -> None:
    put(target, site, {"index.html": "1"})
    put(target, site, {"index.html": "2"})
    (target.folder / "releases/1.json").write_text("{")
    newest, damaged = target.releases()
    assert (newest.number, newest.pages, newest.files) == (2, 1, 1)
    assert damaged.number == 1
    assert abs(newest.created_at - damaged.created_at) < 60


@pytest.mark.parametrize("leads", ["/srv/other", "releases/x", "releases/../../1", "../releases/1", None])
def test_what_is_not_ours_is_never_replaced(target: ReleaseFolder, site: Path, leads: str | None) -> None:
    target.folder.mkdir()
    if leads is None:
        (target.folder / CURRENT).write_text("mine")
    else:
        (target.folder / CURRENT).symlink_to(leads)
    with pytest.raises(OutputError, match="is in the way"):
        put(target, site, {"index.html": "1"})
    assert list((target.folder / RELEASES).iterdir()) == []


def test_numbered_folders_of_others_are_never_taken_for_releases(target: ReleaseFolder, site: Path) -> None:
    theirs = {f"{RELEASES}/{number}/app.tar": "theirs" for number in range(1, 13)}
    for path, text in theirs.items():
        (target.folder / path).parent.mkdir(parents=True)
        (target.folder / path).write_text(text)
    with pytest.raises(OutputError, match="no release of `twinpress publish`"):
        put(target, site, {"index.html": "1"})
    with pytest.raises(OutputError, match="no release of `twinpress publish`"), target.locked(site):
        target.roll_back(3)
    assert held(target.folder) == theirs


@pytest.mark.parametrize("place", ["", "docs/out", "static", ".git/out", ".twinpress/out"])
def test_a_folder_of_sources_is_refused(site: Path, place: str) -> None:
    with pytest.raises(OutputError):
        put(ReleaseFolder(site / place), site, {"index.html": "1"})


def test_of_two_at_once_one_is_told_to_wait(target: ReleaseFolder, site: Path) -> None:
    put(target, site, {"index.html": "1"})
    descriptor = os.open(target.folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(OutputError, match="somebody else is publishing"):
        put(target, site, {"index.html": "2"})
    os.close(descriptor)
    assert put(target, site, {"index.html": "2"}) == 2


def test_other_files_in_the_folder_are_left_alone(target: ReleaseFolder, site: Path) -> None:
    put(target, site, {"index.html": "1"})
    for name in ("readme.txt", ".hidden", "releases/note.txt", "releases/x12", "releases/x.json"):
        (target.folder / name).write_text("mine")
    put(target, site, {"index.html": "2"}, keep=1)
    assert rubbish(target.folder) == [".hidden", "note.txt", "readme.txt", "x.json", "x12"]


@pytest.fixture(scope="module")
def publisher() -> Iterator[KilledPublisher]:
    with killed_publisher() as process:
        yield process


PATHS = st.sampled_from(["index.html", "a/b.html", "a/c/d.md", "e.css"])
FILES = st.dictionaries(PATHS, st.sampled_from("xyz"), min_size=1)
STEPS = st.integers(1, 90) | st.just(NEVER)
ACTS = st.lists(st.tuples(FILES | st.none(), st.integers(0, 5), STEPS), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(ACTS)
def test_readers_have_a_whole_release_whatever_is_killed(publisher: KilledPublisher, acts) -> None:
    with TemporaryDirectory() as place:
        folder, site = Path(place, "out"), Path(place, "site")
        site.mkdir()
        contents: list[Content] = []
        had: Content | None = None
        for files, back, step in acts:
            ended = publisher.act(folder, site, step, files=files, back=back, keep=KEEP)
            assert ended in (DONE, KILLED)
            now = held(folder / CURRENT) if os.path.lexists(folder / CURRENT) else None
            allowed = [had] if ended == KILLED else []
            allowed += [files] if files is not None else [*contents, had]
            assert now in allowed
            contents += [files] if files is not None else []
            had = now
        assert publisher.act(folder, site, NEVER, files={"index.html": "end"}, back=0, keep=KEEP) == DONE
        assert held(folder / CURRENT) == {"index.html": "end"}
        assert rubbish(folder) == []
        assert len(list((folder / RELEASES).glob("*.json"))) <= KEEP


def test_each_step_of_a_publish_may_be_the_last(publisher: KilledPublisher, tmp_path: Path) -> None:
    """Every step once, from the first one on, until the publish comes to its end."""
    site, step, ended = tmp_path / "site", 0, KILLED
    site.mkdir()
    one, other = {"index.html": "1", "a/b.html": "b"}, {"index.html": "2", "a/b.html": "b", "c.css": "c"}
    while ended == KILLED:
        step += 1
        folder = tmp_path / f"out{step}"
        for _ in range(2):
            assert publisher.act(folder, site, NEVER, files=one, back=0, keep=2) == DONE
        ended = publisher.act(folder, site, step, files=other, back=0, keep=2)
        assert held(folder / CURRENT) in (one, other)
        assert publisher.act(folder, site, NEVER, files=None, back=0, keep=2) == DONE
        assert rubbish(folder) == []
        assert re.fullmatch("releases/[23]", str((folder / CURRENT).readlink()))
    assert step > 25


def test_pages_that_readers_have_open_find_their_assets_for_one_release(
    target: ReleaseFolder, site: Path
) -> None:
    def named(text: str) -> Content:
        asset = f"_tp/theme.{text * 10}.js"
        return {"index.html": asset, asset: text, f"_tp/search/d0.{text * 8}.json": text}

    for text in "abbc":
        put(target, site, named(text))
    places = [target.path(number) / "_tp" for number in range(1, 5)]
    held_by = [sorted(path.name for path in place.glob("*.js")) for place in places]
    a, b, c = (f"theme.{text * 10}.js" for text in "abc")
    assert held_by == [[a], [a, b], [b], [b, c]]
    assert target.get(2).carried == (f"_tp/{a}",)
    assert sorted(held(target.path(4) / "_tp/search")) == ["d0.cccccccc.json"]
    with target.locked(site), target.staged() as output:
        for path, content in named("c").items():
            output.write(path, content.encode())
        assert output.count_new() == 0


def test_what_an_ended_process_has_left_is_written_anew_and_the_release_before_stays(tmp_path: Path) -> None:
    """A page is written again when the process was ended that wrote it: by another one, or by this one."""
    former, new = tmp_path / "1", tmp_path / "2"
    for folder in (former, new):
        folder.mkdir()
    (former / "a.html").write_text("before")
    os.link(former / "a.html", new / "a.html")
    (new / "half.html").write_text("ha")
    (new / "index.md").write_text("tw")
    writer = LinkingWriter(new, former)
    writer.write("a.html", b"after!")
    writer.write("half.html", b"half")
    writer.write_twice("page.md", "index.md", b"twin")
    expected = {"a.html": "after!", "half.html": "half", "page.md": "twin", "index.md": "twin"}
    assert held(new) == expected
    writer.write("a.html", b"before")
    assert (new / "a.html").samefile(former / "a.html")
    assert held(former) == {"a.html": "before"}
