from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.errors import InvalidPath, PageNotFound, PathConflict, StorageError, TwinpressError
from builder.store import ContentStore
from tests.builder.trees import make, snapshot

CORPORA = os.environ.get("TWINPRESS_CORPORA")
SECRET = "root:x:0:0:secret"
OUTSIDE = {
    "secret.md": SECRET,
    "etc/passwd": SECRET,
    "etc/passwd.md": SECRET,
    "WINDOWS/win.ini": SECRET,
    "boot.ini": SECRET,
    "other/docs/a.md": SECRET,
    "other/docs/_category_.yml": f"label: {SECRET}",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with others' files all around it."""
    make(tmp_path, OUTSIDE)
    return make(tmp_path / "a/b/site", {"site.yml": "title: A", "docs/a.md": "A", "static/x.txt": "x"})


def lines() -> list[str]:
    if CORPORA is None:
        pytest.skip("TWINPRESS_CORPORA is not set")
    return (Path(CORPORA) / "traversal.txt").read_text("utf-8").split("\n")


@pytest.mark.parametrize("prefix", ["", "docs/", "pages/"])
def test_no_path_leads_out_of_the_site(site: Path, prefix: str) -> None:
    parent = site.parents[2]
    before = snapshot(parent, without="a/b/site/.twinpress")
    accepted: set[str] = set()
    with ContentStore(site) as store:
        for line in lines():
            path = prefix + line
            acts: list[Callable[[], object]] = [
                lambda path=path: store.read(path),
                lambda path=path: store.write(path, "md", "planted", "planted"),
                lambda path=path: store.set_category(path, {"label": "planted"}),
                lambda path=path: store.read(path),
                lambda path=path: store.delete(path),
                lambda path=path: store.set_category(path, {"label": None}),
                lambda path=path: store.read_file(path),
                lambda path=path: store.open_file(path),
            ]
            for act in acts:
                try:
                    said = str(act())
                except (TwinpressError, FileNotFoundError):
                    continue
                accepted.add(path)
                assert SECRET not in said
            if path in accepted:
                assert snapshot(parent, without="a/b/site/.twinpress").keys() >= before.keys()
    assert snapshot(parent, without="a/b/site/.twinpress") == before
    assert len(accepted) < 40, "nearly all of these are no content paths"


@pytest.mark.parametrize(
    "path", ["docs/../../secret", "docs/..", "docs/a/../../../../secret", "/etc/passwd", "../secret"]
)
def test_the_usual_ways_out_are_refused(site: Path, path: str) -> None:
    with ContentStore(site) as store:
        for act in (store.read, store.delete, lambda path: store.write(path, "md", "x")):
            with pytest.raises(InvalidPath):
                act(path)
        with pytest.raises(FileNotFoundError):
            store.read_file(path)


def exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step, as only the system call can; False when one is not there."""
    renameat2 = ctypes.CDLL(None).renameat2
    return renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0


def test_folders_swapped_for_links_do_not_lead_out(site: Path) -> None:
    """Another process swaps a folder for a link to elsewhere, again and again, while pages are handled."""
    parent = site.parents[2]
    outside = parent / "other/docs"
    (site / "docs/x").mkdir()
    (site / "link").symlink_to(outside)
    assert exchange(site / "docs/x", site / "link")
    assert exchange(site / "docs/x", site / "link")
    before = snapshot(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            if not exchange(site / "docs/x", site / "link"):
                (site / "docs/x").mkdir(exist_ok=True)  # the store has removed the empty folder

    swapper = threading.Thread(target=swap)
    swapper.start()
    outcomes: set[str] = set()
    try:
        with ContentStore(site) as store:
            until = time.monotonic() + 3
            while time.monotonic() < until:
                for act in (
                    lambda: store.write("docs/x/a", "md", "inside", "twin"),
                    lambda: store.read("docs/x/a"),
                    lambda: store.set_category("docs/x", {"label": "inside"}),
                    lambda: store.read_file("docs/x/a.md"),
                    store.scan,
                    lambda: store.delete("docs/x/a"),
                ):
                    try:
                        said = str(act())
                    except (PathConflict, PageNotFound, StorageError, FileNotFoundError) as refused:
                        outcomes.add(type(refused).__name__)
                        continue
                    outcomes.add("done")
                    assert SECRET not in said
    finally:
        stop.set()
        swapper.join()
    assert snapshot(outside) == before
    assert len(outcomes) > 1


def test_the_stores_own_folder_is_not_followed_either(site: Path) -> None:
    parent = site.parents[2]
    (site / ".twinpress").symlink_to(parent / "other")
    before = snapshot(parent)
    with ContentStore(site) as store:
        assert store.read("docs/a").text == "A"
        with pytest.raises(PathConflict, match="symbolic link"):
            store.write("docs/b", "md", "x")
    assert snapshot(parent) == before
