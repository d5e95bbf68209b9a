from __future__ import annotations

import threading

import pytest

from builder.watch import Watcher, is_source
from tests.sites import write_site


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
