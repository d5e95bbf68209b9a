from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from builder.watch.watcher import LONGEST, SETTLE_MANY, Checkout, Watcher, is_source
from tests.sites import write_site
from tests.time_bounds import in_time
from tests.waiting import PATIENCE


@pytest.mark.parametrize(
    "path",
    [
        "site.yml",
        "docs",
        "docs/a.mdx",
        "docs/guide/_category_.yml",
        "docs/a.llms.md",
        "docs/pic.png",
        "pages/index.md",
        "static/.well-known/security.txt",
        "static/dist/x.js",
        "docs/#hash in the middle.md",
    ],
)
def test_what_a_build_reads_is_watched_for(path):
    assert is_source(tuple(path.split("/")))


@pytest.mark.parametrize(
    "path",
    [
        "dist/index.html",
        ".git/index",
        ".twinpress/cache/x",
        "README.md",
        "node_modules/docs/a.md",
        "docs/a.mdx~",
        "docs/.a.mdx.swp",
        "docs/.a.mdx.swx",
        "docs/4913",
        "docs/.#a.mdx",
        "docs/#a.mdx#",
        "docs/.goutputstream-X1Y2",
        "docs/a.mdx.___jb_tmp___",
        "docs/.a.mdx.kate-swp",
        "docs/.DS_Store",
        "docs/.a.mdx.tmp",
    ],
)
def test_what_editors_and_builds_leave_is_not(path):
    assert not is_source(tuple(path.split("/")))


def test_a_change_made_before_anybody_waits_is_not_missed(tmp_path):
    write_site(tmp_path, {"docs/a.md": "# A\n"})
    with Watcher(tmp_path) as watcher:
        write_site(tmp_path, {"dist/x": "x", "docs/a.md": "# B\n", "docs/new/b.md": "# B\n"})
        changed = set()
        # A file in a folder that is new itself may be told by the folder alone.
        while "docs/a.md" not in changed or not changed & {"docs/new", "docs/new/b.md"}:
            changed |= watcher.wait(threading.Event())
        assert all(path.startswith("docs") for path in changed)


def test_who_waits_can_be_told_to_stop(tmp_path):
    stop = threading.Event()
    with Watcher(tmp_path) as watcher:
        threading.Timer(0.2, stop.set).start()
        assert watcher.wait(stop) == frozenset()


@contextmanager
def patience(seconds: float = 20.0):
    """A flag that is set in the end, so that what was missed is a failure and no endless wait."""
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


def sees(watcher, *wanted):
    """Return whether one of the paths is told of, or a folder that it is in."""
    with patience() as stop:
        while changed := watcher.wait(stop):
            if any(path == one or path.startswith(f"{one}/") for path in wanted for one in changed):
                return True
    return False


@pytest.mark.parametrize("polling", ["", "1"])
def test_a_name_that_is_no_utf8_ends_nothing(tmp_path, monkeypatch, polling):
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", polling)
    write_site(tmp_path, {"docs/a.md": "# A\n"})
    with Watcher(tmp_path) as watcher:
        for number in range(3):
            (tmp_path / os.fsdecode(b"docs/bad\xff%d.txt" % number)).write_text("x")
            assert sees(watcher, "docs/bad")
            write_site(tmp_path, {f"docs/{number}.md": "# B\n"})
            assert sees(watcher, f"docs/{number}.md")
        (tmp_path / os.fsdecode(b"docs/folder\xff")).mkdir()
        assert sees(watcher, "docs/folder")
        write_site(tmp_path, {"docs/last.md": "# B\n"})
        assert sees(watcher, "docs/last.md")


def test_a_look_into_a_folder_whose_name_is_no_utf8_is_no_change(tmp_path):
    """A build looks into it, and would be followed by another one for ever."""
    write_site(tmp_path, {"docs/a.md": "# A\n"})
    with Watcher(tmp_path) as watcher:
        folder = tmp_path / os.fsdecode(b"docs/folder\xff")
        folder.mkdir()
        assert sees(watcher, "docs/folder")
        with patience(1.0) as stop:
            for _ in range(20):
                list(folder.iterdir())
            assert watcher.wait(stop) == frozenset()


def test_folders_that_come_go_and_come_again_are_watched(tmp_path):
    write_site(tmp_path, {"docs/a.md": "# A\n"})
    with Watcher(tmp_path) as watcher:
        for _ in range(3):
            write_site(tmp_path, {"docs/new/deep/b.md": "# B\n"})
            assert sees(watcher, "docs/new/deep/b.md")
            write_site(tmp_path, {"docs/new/deep/c.md": "# C\n"})
            assert sees(watcher, "docs/new/deep/c.md")
            (tmp_path / "docs/new").rename(tmp_path / "docs/old")
            assert sees(watcher, "docs/old")
            write_site(tmp_path, {"docs/old/deep/d.md": "# D\n"})
            assert sees(watcher, "docs/old/deep/d.md")
            shutil.rmtree(tmp_path / "docs/old")
            assert sees(watcher, "docs/old")


def test_what_links_lead_to_is_not_watched(tmp_path):
    site, outside = tmp_path / "site", tmp_path / "outside"
    write_site(site, {"docs/a.md": "# A\n"})
    write_site(outside, {"b.md": "# B\n"})
    (site / "docs/link").symlink_to(outside)
    (site / "static").symlink_to(outside)
    with Watcher(site) as watcher:
        (site / "docs/later").symlink_to(outside)
        assert sees(watcher, "docs/later")
        write_site(outside, {"c.md": "# C\n"})
        with patience(1.0) as stop:
            assert watcher.wait(stop) == frozenset()
        write_site(site, {"docs/a.md": "# C\n"})
        assert sees(watcher, "docs/a.md")


def test_what_is_no_source_wakes_nobody(tmp_path):
    write_site(tmp_path, {"docs/a.md": "# A\n", ".twinpress/state/x": "x", "node_modules/x": "x"})
    with Watcher(tmp_path) as watcher:
        write_site(tmp_path, {".twinpress/state/y": "y", "node_modules/y": "y"})
        with patience(0.5) as stop:
            assert watcher.wait(stop) == frozenset()


def test_a_switch_of_branches_is_one_change(tmp_path):
    write_site(tmp_path, {"site/docs/a.md": "# A\n", ".git/config": ""})
    lock = tmp_path / ".git/index.lock"
    with Watcher(tmp_path / "site") as watcher:
        lock.touch()
        threading.Thread(target=switch, args=(tmp_path / "site", lock)).start()
        with patience() as stop:
            assert watcher.wait(stop) == {"docs/a.md", "docs/b.md"}


def switch(site, lock):
    """Do what git does, which may have to wait for the disk between two files."""
    write_site(site, {"docs/a.md": "# Other\n"})
    time.sleep(0.3)
    write_site(site, {"docs/b.md": "# B\n"})
    lock.unlink()


def test_a_lock_that_git_has_left_behind_keeps_no_save_waiting(tmp_path):
    write_site(tmp_path, {"docs/a.md": "# A\n", ".git/index.lock": ""})
    os.utime(tmp_path / ".git/index.lock", (0, 0))
    with Watcher(tmp_path) as watcher, patience() as stop, in_time(LONGEST):
        write_site(tmp_path, {"docs/a.md": "# Other\n"})
        assert watcher.wait(stop) == {"docs/a.md"}


LOOK = """
import sys
from pathlib import Path
from builder.watch.watcher import Checkout
assert not Checkout(Path(sys.argv[1])).is_under_way
"""


def test_a_lock_from_the_future_keeps_no_save_waiting(tmp_path):
    """The clock was put back, or somebody has packed it so."""
    write_site(tmp_path, {"docs/a.md": "# A\n", ".git/index.lock": ""})
    os.utime(tmp_path / ".git/index.lock", (time.time() + 10**6,) * 2)
    assert not Checkout(tmp_path).is_under_way


def test_what_is_no_repository_keeps_nobody_waiting(tmp_path):
    write_site(tmp_path, {"docs/a.md": "# A\n"})
    (tmp_path / ".git").write_bytes(b"gitdir: x\0y\n")
    assert not Checkout(tmp_path).is_under_way
    (tmp_path / ".git").unlink()
    os.mkfifo(tmp_path / ".git")
    # In a process of its own: who opens a pipe to which nobody writes waits for ever.
    subprocess.run([sys.executable, "-c", LOOK, tmp_path], check=True, timeout=PATIENCE)


def test_a_work_tree_of_git_knows_its_repository(tmp_path):
    write_site(tmp_path, {"site/docs/a.md": "# A\n", "main/.git/worktrees/x/HEAD": ""})
    (tmp_path / "site/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/x\n")
    assert not Checkout(tmp_path / "site/docs").is_under_way
    (tmp_path / "main/.git/worktrees/x/index.lock").touch()
    assert Checkout(tmp_path / "site/docs").is_under_way
    (tmp_path / "site/.git").write_bytes(b"\xff\xfe")
    assert not Checkout(tmp_path / "site/docs").is_under_way


def test_many_files_at_once_are_one_change_and_a_save_does_not_wait(tmp_path):
    many = {f"docs/{number}.md": "# A\n" for number in range(10)}
    write_site(tmp_path, many)
    with Watcher(tmp_path) as watcher, patience() as stop:
        write_site(tmp_path, dict.fromkeys(many, "# B\n"))
        threading.Timer(SETTLE_MANY / 4000, write_site, (tmp_path, {"docs/last.md": "# C\n"})).start()
        assert watcher.wait(stop) == {*many, "docs/last.md"}


def test_files_elsewhere_that_pages_include_are_watched_for(tmp_path):
    write_site(
        tmp_path, {"site.yml": "title: x", "docs/a.md": "# A", "code/app.py": "1", "code/other.py": "1"}
    )
    stop, found = threading.Event(), []
    with Watcher(tmp_path, included=lambda: frozenset({"code/app.py"})) as watcher:
        thread = threading.Thread(target=lambda: found.append(watcher.wait(stop)))
        thread.start()
        until = time.monotonic() + PATIENCE
        while not found and time.monotonic() < until:
            (tmp_path / "code/other.py").write_text("2")
            (tmp_path / "code/app.py").write_text("2")
            thread.join(0.1)
        stop.set()
        thread.join()
    assert found == [{"code/app.py"}]
