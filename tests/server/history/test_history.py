"""Changes that are kept, and those that are put back."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from builder.errors import StorageError, TwinpressError
from builder.store import ChangeNote, ContentStore
from server.history import History, restore, undo
from server.history.mending import objects_in
from server.history.pending_file import FOLDER
from server.history.removal import remove
from tests.builder.trees import make
from tests.server.history.sites import AGENT, OTHER, STATE, files, opened
from tests.waiting import until

SECRET = "Ab3" * 13 + "x" + "000000"
KEY = f"dpk_{SECRET}"


def test_each_write_is_kept_with_key_label_and_what_it_replaced(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "mdx", "1", "twin", note=AGENT)
        store.delete("docs/a", note=OTHER)
        history.catch_up()
        last, first, begin = history.revisions()
        assert (last.note, first.note, begin.note.act) == (OTHER, AGENT, "begin")
        assert [each.file for each in first.files] == ["docs/a.mdx", "docs/a.llms.md", "docs/a.md"]
        old = first.files[2].old
        assert old is not None
        assert history.contents({old}) == {old: b"a"}
        assert begin.time <= first.time <= last.time
        assert [history.files_at(each.id).keys() for each in (begin, last)] == [{"docs/a.md"}, set()]


def test_a_text_takes_its_room_once_however_often_changes_are_brought_in(tmp_path: Path) -> None:
    """A file that was just written is read at each look, as its times do not tell yet."""
    site = make(tmp_path, {"docs/a.md": "a"})
    text = base64.b64encode(os.urandom(60_000)).decode()
    with opened(site) as (history, store):
        store.write("docs/a", "md", text, note=AGENT)
        for number in range(6):
            store.write("docs/b", "md", str(number), note=AGENT)
            history.catch_up()
        assert history.size() < 2 * 60_000
        assert store.read("docs/a").text == text


def test_the_size_is_true_right_after_files_came_or_went(tmp_path: Path) -> None:
    """A folder's times stand still for some milliseconds: what was counted then may be wrong for ever."""
    with opened(make(tmp_path, {"docs/a.md": "a"})) as (history, _):
        history.catch_up()
        packs = tmp_path / STATE / FOLDER / "git/objects/pack"
        before = history.size()
        for number in range(1, 100):
            (packs / f"pack-{number - 1}.pack").unlink(missing_ok=True)
            (packs / f"pack-{number}.pack").write_bytes(bytes(number))
            assert history.size() == before + number


def test_what_was_changed_outside_is_a_change_of_nobody(tmp_path: Path) -> None:
    """It comes before the change that replaced it."""
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        history.catch_up()
        store.write("docs/a", "md", "1", note=AGENT)
        make(site, {"docs/a.md": "saved", "docs/b.md": "saved too"})
        store.write("docs/a", "md", "2", note=AGENT)
        history.catch_up()
        found = [(each.outside, [file.file for file in each.files]) for each in history.revisions()]
    assert found == [
        (True, ["docs/b.md"]),
        (False, ["docs/a.md"]),
        (True, ["docs/a.md"]),
        (False, ["docs/a.md"]),
        (True, []),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/g/a", ["1", "2"]),
        ("docs/g/a.mdx", ["1", "2"]),
        ("docs/g/a.md", ["2"]),
        ("docs/g", ["1", "2", "3"]),
        ("docs/g/ab", []),
        ("docs/caf\u00e9", ["4"]),
        ("", ["1", "2", "3", "4"]),
    ],
)
def test_the_history_of_a_path(tmp_path: Path, path: str, expected: list[str]) -> None:
    site = make(tmp_path, {"docs/cafe\u0301.md": "in the form that macOS writes"})
    with opened(site) as (history, store):
        store.write("docs/g/a", "mdx", "x", note=ChangeNote("1"))
        store.write("docs/g/a", "md", "x", note=ChangeNote("2"))
        store.set_category("docs/g", {"label": "G"}, note=ChangeNote("3"))
        store.write("docs/caf\u00e9", "md", "y", note=ChangeNote("4"))
        history.catch_up()
        found = [each.note.key for each in history.revisions(path) if each.note.key]
    assert found[::-1] == expected


def test_a_page_and_the_whole_site_are_restored_to_a_revision(tmp_path: Path) -> None:
    before = {"docs/a.md": "a", "docs/g/b.mdx": "b", "docs/g/b.llms.md": "twin", "pages/index.md": "home"}
    site = make(tmp_path, {**before, "docs/picture.png": "stays"})
    with opened(site) as (history, store):
        history.catch_up()
        store.write("docs/g/b", "md", "1", note=AGENT)
        store.delete("docs/a", note=AGENT)
        store.write("docs/new/c", "md", "c", note=AGENT)
        make(site, {"pages/index.md": "saved"})
        history.catch_up()
        start = history.revisions()[-1].id
        restore(history, store, start[:10], "docs/g/b")
        assert files(site)["docs/g/b.mdx"] == b"b"
        assert "docs/g/b.md" not in files(site)
        assert files(site)["pages/index.md"] == b"saved"
        done = restore(history, store, start)
        assert done.removed == ("docs/new/c.md",)
        del (found := files(site))["docs/picture.png"]
        assert found == {name: text.encode() for name, text in before.items()}
        assert not (site / "docs/new").exists()
        history.catch_up()
        last = history.revisions()[0]
        assert (last.note.act, last.note.about) == ("restore", start[:10])
        restore(history, store, f"{last.id}^")
    assert files(site)["pages/index.md"] == b"saved"
    assert files(site)["docs/new/c.md"] == b"c"


@pytest.mark.parametrize(
    ("revision", "path", "message"),
    [
        ("ffff", "", "no such revision"),
        ("", "", "no such revision"),
        ("{first}^", "", "the history begins with this"),
        ("{first}", "docs/none", "no such page"),
        ("{first}", "../docs/a", "no path in the site"),
        ("{first}", "/docs/a", "no path in the site"),
    ],
)
def test_what_cannot_be_restored_is_told(tmp_path: Path, revision: str, path: str, message: str) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        history.catch_up()
        first = history.revisions()[-1].id
        with pytest.raises(TwinpressError, match=message):
            restore(history, store, revision.format(first=first), path)
    assert files(site) == {"docs/a.md": b"a"}


@pytest.mark.parametrize("label", ["my key {}", "my_{}", "é{}", "{}b", "svc_docs_{}"])
def test_no_key_is_in_the_history(tmp_path: Path, label: str) -> None:
    with opened(tmp_path) as (history, store):
        store.write("docs/a", "md", "1", note=ChangeNote("id", label.format(KEY)))
        assert SECRET not in (tmp_path / STATE / FOLDER / "pending").read_text()
        history.catch_up()
        assert SECRET not in repr(history.revisions())
    packs = list((tmp_path / STATE / FOLDER / "git").glob("objects/pack/*.pack"))
    assert packs
    for path in packs:
        assert not any(SECRET.encode() in thing.as_raw_string() for thing in objects_in(path))


def test_a_writer_s_own_repository_is_left_alone_and_git_can_read_the_history(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    site = make(tmp_path, {"docs/a.md": "a"})
    subprocess.run([git, "init", "-q", site], check=True)
    before = {path: path.read_bytes() for path in (site / ".git").rglob("*") if path.is_file()}
    with opened(site) as (history, store):
        store.write("docs/g/b", "md", "1", note=AGENT)
        history.catch_up()
        undo(history, store, "k1")
        history.catch_up()
    assert {path: path.read_bytes() for path in (site / ".git").rglob("*") if path.is_file()} == before
    own = [git, f"--git-dir={site / STATE / FOLDER / 'git'}", "-c", "safe.directory=*"]
    checked = subprocess.run([*own, "fsck", "--strict"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    log = subprocess.run([*own, "log", "--format=%an %s"], capture_output=True, text=True, check=True)
    assert log.stdout.splitlines() == ["Twinpress undo k1", "agent k1 change docs/g/b.md", "Twinpress begin"]


def test_changes_are_folded_in_the_background_once_writers_are_quiet(tmp_path: Path) -> None:
    with opened(tmp_path) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        until(history.revisions)
        assert history.revisions()[0].note == AGENT


def test_a_history_that_is_begun_knows_the_site_before_its_first_change(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, _):
        history.begin()
        until(history.revisions)
        assert history.files_at(history.revisions()[0].id).keys() == {"docs/a.md"}


def test_many_folds_leave_few_packs(tmp_path: Path) -> None:
    with opened(tmp_path) as (history, store):
        for n in range(50):
            store.write("docs/a", "md", str(n), note=AGENT)
            history.catch_up()
        packs = list((tmp_path / STATE / FOLDER / "git/objects/pack").glob("*.pack"))
        assert len(packs) < 45
        assert len(history.revisions()) == 51
        contents = {file.new or "" for each in history.revisions() for file in each.files}
        assert len(history.contents(contents)) == 50


def test_a_history_that_is_behind_a_link_is_told(tmp_path: Path) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        history.catch_up()
        git = site / STATE / FOLDER / "git"
        shutil.rmtree(git)
        git.symlink_to(make(tmp_path / "elsewhere", {"HEAD": "ref: refs/heads/main"}))
        with pytest.raises(StorageError, match="symbolic link"):
            history.catch_up()
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["HEAD"]


@pytest.mark.parametrize("name", ["git.new", "git", "git/objects/pack", "deep/er"])
def test_a_link_that_a_site_brings_in_its_history_is_refused(tmp_path: Path, name: str) -> None:
    """A draft of the repository is removed before a new one is made, with all that is in it."""
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    mine = make(tmp_path / "mine", {"thesis": "years"})
    link = site / STATE / FOLDER / name
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    with pytest.raises(StorageError, match="symbolic link"), opened(site) as (history, _):
        history.catch_up()
    assert (mine / "thesis").read_text() == "years"
    assert [each.name for each in mine.iterdir()] == ["thesis"]


def test_a_draft_that_has_become_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    mine = make(tmp_path / "mine", {"thesis": "years"})
    with opened(site) as (history, _):
        draft = site / STATE / FOLDER / "git.new"
        draft.parent.mkdir(parents=True)
        draft.symlink_to(mine)
        with pytest.raises(StorageError):
            history.catch_up()
    assert (mine / "thesis").read_text() == "years"


@pytest.mark.parametrize("within", ["git.new", "git"])
def test_a_repository_that_a_site_brings_may_be_as_deep_as_paths_allow(tmp_path: Path, within: str) -> None:
    """A draft is removed, and what is no repository is set aside."""
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    (site / STATE / FOLDER).mkdir(parents=True)
    deep = f"{site / STATE / FOLDER / within}"
    for _ in range(1500):
        Path(deep).mkdir()
        deep += "/d"
    Path(deep).touch()
    with opened(site) as (history, _):
        history.catch_up()
        assert len(history.revisions()) == 1
    assert not (site / STATE / FOLDER / "git.new").exists()
    for apart in (site / STATE / FOLDER).glob("damaged-*"):
        remove(apart)  # pytest could not


def test_a_draft_that_cannot_be_removed_is_told_with_its_place(tmp_path: Path) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a", f"{STATE}/{FOLDER}/git.new": "no folder"})
    with opened(site) as (history, _), pytest.raises(StorageError, match=r"history/git\.new: .*remove it"):
        history.catch_up()


ELSEWHERE = [
    ("commondir", "{mine}/.git\n"),
    (".git", "gitdir: {mine}/.git\n"),
    ("objects/info/alternates", "{mine}/.git/objects\n"),
    ("config", '[core]\n\tbare = true\n[IncludeIf "gitdir:/"]\n\tpath = /dev/zero\n'),
    ("config", "[include]\n\tpath = /dev/zero\n"),
]


@pytest.mark.parametrize(("name", "text"), ELSEWHERE)
def test_a_history_that_leads_into_another_repository_is_begun_anew(
    tmp_path: Path, name: str, text: str
) -> None:
    """Else a site from somebody could have its revisions put into the branches of one's own projects."""
    site, mine = make(tmp_path / "site", {"docs/a.md": "a"}), tmp_path / "mine"
    subprocess.run(["git", "init", "-q", "-b", "main", mine], check=True)
    with opened(site) as (history, _):
        history.catch_up()
    (site / STATE / FOLDER / "git" / name).write_text(text.format(mine=mine))
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        history.catch_up()
        assert [each.note.key for each in history.revisions()] == [AGENT.key, ""]
    assert list((mine / ".git/refs/heads").iterdir()) == []
    assert not any((mine / ".git/objects").rglob("*.pack"))


def test_a_site_behind_another_process_is_caught_up(tmp_path: Path) -> None:
    with opened(tmp_path) as (one, first), opened(tmp_path) as (other, second):
        for n in range(20):
            (first if n % 2 else second).write("docs/a", "md", str(n), note=AGENT)
            if n % 5 == 0:
                (one if n % 2 else other).catch_up()
        one.catch_up()
        assert len(one.revisions()) == len(other.revisions()) == 21


def test_a_site_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises((StorageError, FileNotFoundError)):
        History(tmp_path / "none" / STATE)
    assert ContentStore(tmp_path).has_pages() is False
