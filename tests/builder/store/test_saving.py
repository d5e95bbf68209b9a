"""An editor has opened a file to save it, and is slow: what it writes at last is in the file of that name.

The file is opened in the last moment before the store gives it another name, which an audit hook sees, and is
written to only after the store has looked at it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.errors import RevisionMismatch
from builder.store import ChangeAnnouncement, ContentStore
from builder.store.open_elsewhere import PATIENCE
from tests.builder.children import in_child
from tests.builder.trees import make
from tests.time_bounds import in_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system says who has a file open")

SAVED = "an editor's save"
SLOW = PATIENCE / 4
LONG = 10 * PATIENCE


class Kept:
    """Keeps what was replaced or removed."""

    def __init__(self) -> None:
        self.olds: list[bytes | None] = []

    def settle(self, root: int, state: int) -> None:
        """Nothing."""

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        """Keep the old files that are replaced."""
        self.olds += [file.old for file in change.files]

    def done(self, root: int, state: int) -> None:
        """Nothing."""

    def withdrawn(self, state: int) -> None:
        """Nothing."""


def at_rename(acts: list[Callable[[], None]]) -> None:
    """Have these done before the files that have names of pages are renamed from now on, one each time."""
    left = iter(acts)

    def hook(event: str, given: tuple[object, ...]) -> None:
        if event == "os.rename" and "a.md" in given:
            next(left, lambda: None)()

    sys.addaudithook(hook)


def write(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, SAVED.encode())
    os.close(descriptor)


def begun(file: Path, seconds: float) -> None:
    """Open the file, and write into it after so many seconds."""
    threading.Timer(seconds, write, [os.open(file, os.O_WRONLY)]).start()


def replaced(file: Path) -> None:
    """As editors do that rename another file over it."""
    file.with_name("draft").write_text("another save")
    file.with_name("draft").rename(file)


def settled(site: Path) -> str:
    """The page, when everybody is done."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    return (site / "docs/a.md").read_text()


def aged(site: Path) -> Path:
    """A site with a page that nobody has just saved."""
    make(site, {"docs/a.md": "old", "docs/a.llms.md": "old twin"})
    for file in (site / "docs").iterdir():
        os.utime(file, (0, 0))
    return site


CHANGES: dict[str, Callable[[ContentStore, str], object]] = {
    "a page is replaced": lambda store, now: store.write("docs/a", "md", "new", "old twin", if_match=now),
    "a page and its twin are replaced": lambda store, now: store.write(
        "docs/a", "md", "new", "new twin", if_match=now
    ),
    "a page is removed": lambda store, now: store.delete("docs/a", if_match=now),
}
MOMENTS: dict[str, Callable[[Path], list[Callable[[], None]]]] = {
    "it is opened before it is displaced": lambda file: [lambda: begun(file, SLOW)],
    "it is open for long": lambda file: [lambda: begun(file, LONG)],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_what_is_saved_into_a_file_that_was_open_has_its_name(
    tmp_path: Path, change: str, moment: str
) -> None:
    site = aged(tmp_path)

    def act() -> str:
        with ContentStore(site) as store:
            now = store.read("docs/a").revision
            at_rename(MOMENTS[moment](site / "docs/a.md"))
            with pytest.raises(RevisionMismatch):
                CHANGES[change](store, now)
        return settled(site)

    assert in_child(act) == SAVED
    assert (site / "docs/a.llms.md").read_text() == "old twin"


def test_what_is_saved_into_the_new_file_while_it_has_the_name_in_error_stays(tmp_path: Path) -> None:
    """One save is displaced, and the next is made into what stands there for a moment."""
    site = aged(tmp_path)
    file = site / "docs/a.md"

    def act() -> str:
        with ContentStore(site) as store:
            now = store.read("docs/a").revision
            at_rename([lambda: replaced(file), lambda: begun(file, SLOW)])
            with pytest.raises(RevisionMismatch):
                store.write("docs/a", "md", "new", "old twin", if_match=now)
        return settled(site)

    assert in_child(act) == SAVED


def test_a_file_that_is_kept_open_is_not_displaced_at_all(tmp_path: Path) -> None:
    site = aged(tmp_path)
    with ContentStore(site) as store, (site / "docs/a.md").open("a") as log:
        number = (site / "docs/a.md").stat().st_ino
        now = store.read("docs/a").revision
        for change in CHANGES.values():
            with pytest.raises(RevisionMismatch):
                change(store, now)
        log.write(", and more")
        log.flush()
        assert (site / "docs/a.md").read_text() == "old, and more"
        assert (site / "docs/a.md").stat().st_ino == number


@pytest.mark.parametrize("removes", [False, True])
def test_who_insists_waits_for_a_save_that_has_begun_so_that_it_is_kept(
    tmp_path: Path, removes: bool
) -> None:
    site = aged(tmp_path)

    def act() -> str:
        keeper = Kept()
        with ContentStore(site, keeper) as store:
            at_rename([lambda: begun(site / "docs/a.md", SLOW)])
            if removes:
                store.delete("docs/a")
            else:
                store.write("docs/a", "md", "new", "old twin")
        return "kept" if SAVED.encode() in keeper.olds else f"{keeper.olds}"

    assert in_child(act) == "kept"
    assert (site / "docs/a.md").exists() is not removes


def test_who_insists_waits_for_no_program_that_keeps_its_file_open(tmp_path: Path) -> None:
    site = aged(tmp_path)
    with ContentStore(site) as store, (site / "docs/a.md").open("a"):
        with in_time(10 * PATIENCE):
            store.write("docs/a", "md", "new")
        assert store.read("docs/a").text == "new"
    with ContentStore(site) as store, (site / "docs/a.md").open("a"):
        store.delete("docs/a")
        assert not (site / "docs/a.md").exists()


def test_a_twin_that_is_saved_amid_a_change_of_its_page_refuses_it(tmp_path: Path) -> None:
    """The change is not about the twin, which would be of another state than the page."""
    site = aged(tmp_path)

    def act() -> str:
        with ContentStore(site) as store:
            now = store.read("docs/a").revision
            once = iter([site / "docs/a.llms.md"])

            def hook(event: str, given: tuple[object, ...]) -> None:
                if event == "open" and str(given[0]).startswith(".tp-"):
                    for twin in once:
                        twin.write_text(SAVED)

            sys.addaudithook(hook)
            with pytest.raises(RevisionMismatch):
                store.write("docs/a", "md", "new", "old twin", if_match=now)
        return (site / "docs/a.md").read_text() + (site / "docs/a.llms.md").read_text()

    assert in_child(act) == f"old{SAVED}"


def test_what_is_saved_amid_a_change_of_a_category_or_of_settings_is_not_lost(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/g/_category_.yml": "label: A\n", "site.yml": "title: A\n"})

    def act() -> str:
        left = [site / "docs/g/_category_.yml", site / "site.yml"]

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event == "open" and str(given[0]).startswith(".tp-") and left:
                left.pop(0).write_text("position: 7\n")

        with ContentStore(site) as store:
            sys.addaudithook(hook)
            made = store.set_category("docs/g", {"label": "B"})
            if len(left) == 1:
                with pytest.raises(RevisionMismatch):
                    store.replace_file("site.yml", b"title: B\n", expected=b"title: A\n")
            return f"{made.label} {made.position} {(site / 'site.yml').read_text()}"

    assert in_child(act) == "B 7 position: 7\n"
