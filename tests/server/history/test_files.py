"""Versions of `site.yml` and of files beside pages: kept, bounded, and put back."""

from __future__ import annotations

import os
import shutil
import time
import zlib
from pathlib import Path

import pytest
from dulwich.repo import Repo

from builder.errors import PathConflict
from builder.store import ChangeNote
from server.history import History, VersionGone, restore, restore_file, undo
from server.history.file_versions import SMALL, FileVersions
from tests.builder.children import in_child
from tests.builder.store.test_crash import kill
from tests.builder.trees import make
from tests.server.history.sites import AGENT, OTHER, STATE, opened
from tests.server.history.test_crash import at_step

OWNER = ChangeNote(label="dashboard")
NAMES = [
    "site.yml",
    "static/logo.png",
    "docs/guide/a plan ü 你好.svg",
    "static/0123456789",
    "static/readme.md",
]
LARGE = os.urandom(SMALL + 1)


@pytest.mark.parametrize("file", NAMES)
def test_each_change_of_a_file_is_kept_and_put_back(tmp_path: Path, file: str) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.replace_file(file, b"one", expected=None, note=OWNER)
        store.replace_file(file, b"two", expected=b"one", note=OTHER)
        store.replace_file(file, None, expected=b"two", note=OWNER)
        history.catch_up()
        gone, second, first = history.revisions(file)
        assert [each.note for each in (gone, second, first)] == [OWNER, OTHER, OWNER]
        assert not any(each.outside for each in (gone, second, first))
        assert restore(history, store, first.id, file).changed == (file,)
        assert store.read_file(file) == b"one"
        assert restore_file(history, store, second.id, file).changed == (file,)
        assert store.read_file(file) == b"two"
        assert restore(history, store, f"{first.id}^", file).removed == (file,)
        assert (site / "docs/a.md").read_bytes() == b"a"
        history.catch_up()
        assert [each.note.act for each in history.revisions(file)] == ["restore"] * 3 + [""] * 3


def test_what_other_programs_save_is_in_the_history_too(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "site.yml": "title: A\n", "static/a.png": "1"})
    with opened(site) as (history, store):
        history.catch_up()
        make(site, {"site.yml": "title: B\n", "static/a.png": "22"})
        history.catch_up()
        last, begin = history.revisions()
        assert (last.outside, [each.file for each in last.files]) == (True, ["site.yml", "static/a.png"])
        restore(history, store, begin.id)
        assert (store.read_file("site.yml"), store.read_file("static/a.png")) == (b"title: A\n", b"1")


def test_a_large_file_is_in_the_trash_for_a_week(tmp_path: Path) -> None:
    site, file = make(tmp_path, {"docs/a.md": "a"}), "static/film.mp4"
    with opened(site) as (history, store):
        store.replace_file(file, LARGE, expected=None, note=OWNER)
        store.replace_file(file, b"small", expected=LARGE, note=OWNER)
        store.replace_file(file, None, expected=b"small", note=OWNER)
        history.catch_up()
        assert (
            sum(path.stat().st_size for path in (site / STATE / "history/git").rglob("*.pack")) < SMALL // 2
        )
        _, _, first = history.revisions(file)
        restore_file(history, store, first.id, file)
        assert store.read_file(file) == LARGE
        store.replace_file(file, None, expected=LARGE, note=OWNER)
        kept = [path for path in (site / STATE / "history/trash").rglob("*") if path.is_file()]
        for path in kept:
            os.utime(path, (1, 1))
        history.catch_up()
        assert (len(kept), kept[0].exists()) == (1, False)
        with pytest.raises(VersionGone):
            restore_file(history, store, first.id, file)
        store.write("docs/a", "md", "b", note=AGENT)
        done = restore(history, store, first.id)
        assert (done.changed, done.missing) == (("docs/a.md",), (file,))


def test_the_oldest_versions_go_when_there_are_too_many_bytes_and_pages_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.history.objects.KEPT_BYTES", 1_000_000)
    site, versions = make(tmp_path, {"docs/a.md": "a"}), [os.urandom(200_000) for _ in range(8)]
    with opened(site) as (history, store):
        store.write("docs/a", "md", "b" * 500_000, note=AGENT)
        before: bytes | None = None
        for version in versions:
            store.replace_file("static/a.png", version, expected=before, note=OWNER)
            before = version
            history.catch_up()
        kept = list((site / STATE / "history/git/objects").glob("??/*"))
        assert sum(path.stat().st_size for path in kept) <= 1_000_000
        found = history.revisions("static/a.png")[::-1]
        with pytest.raises(VersionGone):
            restore_file(history, store, found[0].id, "static/a.png")
        for number in (6, 5, 4):
            restore_file(history, store, found[number].id, "static/a.png")
            assert store.read_file("static/a.png") == versions[number]
        restore(history, store, history.revisions("docs/a")[-1].id + "^", "docs/a")
        assert store.read("docs/a").text == "a"


def test_an_undo_of_a_key_leaves_files_and_settings(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "site.yml": "title: A\n", "static/A.png": "1"})
    with opened(site) as (history, store):
        store.write("docs/b/c", "md", "c", note=AGENT)
        store.replace_file("docs/b/c.png", b"2", expected=None, note=OWNER)
        store.replace_file("site.yml", b"title: B\n", expected=b"title: A\n", note=OWNER)
        done, found = undo(history, store, AGENT.key)
        assert (done.removed, found.conflicts) == (("docs/b/c.md",), ())
    assert (site / "docs/b/c.png").read_bytes() == b"2"
    assert (site / "site.yml").read_text() == "title: B\n"


def test_a_folder_that_stands_in_the_way_is_not_replaced(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "static/a": "file", "static/B.png": "1"})
    with opened(site) as (history, store):
        history.catch_up()
        store.replace_file("static/a", None, expected=b"file", note=OWNER)
        store.replace_file("static/a/inside.png", b"2", expected=None, note=OWNER)
        store.replace_file("static/B.png", None, expected=b"1", note=OWNER)
        store.replace_file("static/b.png", b"2", expected=None, note=OWNER)
        history.catch_up()
        begin = history.revisions()[-1].id
        for file in ("static/a", "static/B.png"):
            with pytest.raises(PathConflict):
                restore_file(history, store, begin, file)
        store.replace_file("static/a/inside.png", None, expected=b"2", note=OWNER)
        restore(history, store, begin)
    assert (site / "static/a").read_text() == "file"
    assert sorted(path.name for path in (site / "static").iterdir()) == ["B.png", "a"]


def test_a_history_of_pages_alone_takes_files_in_with_the_settings_that_were_kept(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "b", note=AGENT)
        history.catch_up()
    older(site)
    make(site, {"site.yml": "title: C\n", "static/a.png": "1"})
    folder = ".twinpress/state/settings"
    make(site, {f"{folder}/1700000000000000000-site.yml": "title: A\n"})
    make(site, {f"{folder}/1700000009000000000-site.yml": "title: B\n"})
    with opened(site) as (history, store):
        store.replace_file("static/a.png", b"2", expected=b"1", note=OWNER)
        history.catch_up()
        acts = [(each.note.act, [file.file for file in each.files]) for each in history.revisions()]
        assert acts == [
            ("", ["static/a.png"]),
            ("begin", []),
            ("import", ["site.yml"]),
            ("import", ["site.yml"]),
            ("", ["docs/a.md"]),
            ("begin", []),
        ]
        second = history.revisions("site.yml")[0]
        assert second.note.about == "site.yml as it was until 2023-11-14 22:13:29 UTC"
        restore(history, store, second.id, "site.yml")
        assert store.read_file("site.yml") == b"title: B\n"
        assert not (site / folder).exists()
        history.catch_up()
        assert len(history.revisions()) == 7


def older(site: Path) -> None:
    """Have the history be one of pages alone, as an earlier version of Twinpress has written it."""
    with Repo(str(site / STATE / "history/git")) as repo:
        commit = repo[repo.refs[b"refs/heads/main"]]
        commit.message = commit.message.replace(b', "covers_files": true', b"")
        repo.object_store.add_objects([(commit, None)])
        repo.refs[b"refs/heads/main"] = commit.id


def test_a_version_that_a_power_cut_has_garbled_is_gone_and_the_rest_is_there(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "static/a.png": "1"})
    with opened(site) as (history, store):
        history.catch_up()
        begin = history.revisions()[0].id
        for path in (site / STATE / "history/git/objects").glob("??/*"):
            path.write_bytes(b"")
        store.replace_file("static/a.png", b"2", expected=b"1", note=OWNER)
        history.catch_up()
        restore(history, store, begin)
        assert store.read_file("static/a.png") == b"1"


def test_versions_outlive_a_damaged_repository(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "static/a.png": "1"})
    with opened(site) as (history, store):
        store.replace_file("static/a.png", b"2", expected=b"1", note=OWNER)
        history.catch_up()
        store.write("docs/a", "md", "b", note=AGENT)
        history.catch_up()
        begin = history.revisions()[-1].id
        (site / STATE / "history/git/HEAD").unlink()
    with opened(site) as (history, store):
        restore_file(history, store, begin, "static/a.png")
        assert store.read_file("static/a.png") == b"1"


def test_two_histories_of_one_site_keep_every_version(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (one, first), opened(site) as (_, second):
        before: bytes | None = None
        for number in range(20):
            data = b"%d" % number
            (first, second)[number % 2].replace_file("static/a.png", data, expected=before, note=OWNER)
            before = data
        one.catch_up()
        found = one.revisions("static/a.png")
        assert len(found) == 20
        restore_file(one, second, found[13].id, "static/a.png")
        assert (site / "static/a.png").read_bytes() == b"6"


def test_ten_thousand_files_are_taken_in_soon(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    (site / "static").mkdir()
    for number in range(10_000):
        (site / f"static/{number}.txt").write_text(str(number))
    with opened(site) as (history, store):
        history.catch_up()
        store.replace_file("static/9.txt", None, expected=b"9", note=OWNER)
        history.catch_up()
        last, begin = history.revisions()
        assert [each.file for each in last.files] == ["static/9.txt"]
        restore_file(history, store, begin.id, "static/9.txt")
        assert store.read_file("static/9.txt") == b"9"


def test_what_is_offered_takes_half_of_the_room(tmp_path: Path) -> None:
    versions = FileVersions(tmp_path, 100_000)
    ids = [versions.offer(b"%d" % number) for number in range(20)]
    assert sum(map(versions.has, ids)) == 12
    later = [versions.add(b"+%d" % number) for number in range(20)]
    versions.trim(lambda: ids)
    assert all(map(versions.has, later))
    assert sum(map(versions.has, ids)) == 4


def test_a_bomb_that_somebody_has_planted_is_no_version(tmp_path: Path) -> None:
    versions = FileVersions(tmp_path, 100_000)
    id = versions.add(b"a")
    (tmp_path / id[:2] / id[2:]).write_bytes(zlib.compress(b"blob 99999999999\0" + bytes(200 << 20)))
    assert versions.read(id) is None
    assert not versions.has(id)


def test_old_versions_are_deleted_and_the_younger_ones_stay(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "docs/b.md": "b", "site.yml": "title: A\n", "static/a.png": "1"})
    large = "".join(f"{number:x}" for number in range(100_000))
    with opened(site) as (history, store):
        store.write("docs/old", "md", large, note=AGENT)
        store.delete("docs/old", note=AGENT)
        history.catch_up()
        time.sleep(0.01)
        since, before = time.time(), history.size()
        store.write("docs/a", "md", "younger", note=AGENT)
        store.replace_file("site.yml", b"title: B\n", expected=b"title: A\n", note=OWNER)
        store.replace_file("static/a.png", b"2", expected=b"1", note=OWNER)
        assert history.begin_later(since) == 3
        assert history.size() < before / 2
        assert [each.file for one in history.revisions() for each in one.files] == [
            "static/a.png",
            "site.yml",
            "docs/a.md",
        ]
        assert history.begin_later(since) == 0
        restore(history, store, history.revisions()[1].id, "static/a.png")
        assert store.read_file("static/a.png") == b"1"
        undo(history, store, AGENT.key)
        assert (site / "docs/a.md").read_bytes() == b"a"
        store.write("docs/b", "md", "and on it goes", note=AGENT)
        history.catch_up()
        assert [each.outside for each in history.revisions()] == [False] * 6
        assert history.begin_later(time.time() + 60) == 5
        assert [each.note for each in history.revisions()] == [AGENT]
        assert [path.name for path in (site / STATE / "history").glob("forgotten-*")] == []
    with opened(site) as (history, _):
        history.catch_up()
        assert len(history.revisions()) == 1


def test_a_process_that_is_killed_while_it_deletes_old_versions_loses_none_of_the_others(
    tmp_path: Path,
) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a", "static/a.png": "1"})
    with opened(site) as (history, store):
        for text in ("1", "2", "3"):
            store.write("docs/a", "md", text, note=AGENT)
        history.catch_up()
        wanted = [each.id for each in history.revisions()]
    for step in range(1, 300, 3):
        copy = shutil.copytree(site, tmp_path / "copy")

        def forget(copy: Path = copy, step: int = step) -> str:
            with History(copy / STATE) as history:
                history.catch_up()
                at_step(step, kill, str(copy / STATE / "history/git.new"))
                history.begin_later(time.time() + 60)
                os._exit(0)

        killed = in_child(forget) == "killed"
        with opened(copy) as (history, store):
            assert [each.id for each in history.revisions()] in (wanted, wanted[:1]), step
            history.catch_up()
            assert not [*(copy / STATE / "history").glob("forgotten-*")], step
            store.write("docs/a", "md", "and on it goes", note=AGENT)
            history.catch_up()
            assert history.revisions()[1].id == wanted[0]
            assert not [*(copy / STATE / "history").glob("damaged-*")], step
        shutil.rmtree(copy)
        if not killed:
            return
    raise AssertionError("never done")
