"""Changes that are made, and taken back: what was saved meanwhile stays, and so does what was there.

Where no system tells who has a file open, an editor may write into the old file when it is displaced already;
and the disk may refuse to keep the names that were just given.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.errors import RevisionMismatch, StorageError
from builder.store import ContentStore
from tests.builder.children import in_child
from tests.builder.trees import make, names

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system tells names of descriptors")

OLD = {"docs/a.md": "old", "docs/a.llms.md": "old twin", "docs/b.md": "b"}
SAVED = "an editor's save"
Act = Callable[[ContentStore], object]


def content(site: Path) -> dict[str, str]:
    return {name: (site / name).read_text() for name in names(site)}


def at_sync(site: Path, act: Callable[[], None]) -> None:
    """Have this done when the folder of the pages is synced after the first of them has got another name."""
    sync, renamed, done = os.fsync, list[bool](), list[bool]()

    def hook(event: str, given: tuple[object, ...]) -> None:
        if event == "os.rename" and any(str(name).endswith((".md", ".mdx")) for name in given[:2]):
            renamed.append(True)

    def synced(descriptor: int) -> None:
        sync(descriptor)
        if renamed and not done and Path(f"/proc/self/fd/{descriptor}").readlink() == site / "docs":
            done.append(True)
            act()

    sys.addaudithook(hook)
    os.fsync = synced


def no_lease(*_: object) -> None:
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


OVER: dict[str, tuple[str, Act]] = {
    "a page": ("docs/b.md", lambda s: s.write("docs/b", "md", "new", if_match="*")),
    "a page that is removed": ("docs/b.md", lambda s: s.delete("docs/b", if_match="*")),
    "a page and its twin": ("docs/a.md", lambda s: s.write("docs/a", "md", "new", "new twin", if_match="*")),
    "a twin and its page": ("docs/a.llms.md", lambda s: s.write("docs/a", "md", "x", "y", if_match="*")),
    "a page of another format": ("docs/a.md", lambda s: s.write("docs/a", "mdx", "new", if_match="*")),
    "both that are removed": ("docs/a.llms.md", lambda s: s.delete("docs/a", if_match="*")),
}


@pytest.mark.parametrize("name", OVER)
def test_what_is_saved_into_a_file_that_is_displaced_takes_the_change_back(tmp_path: Path, name: str) -> None:
    site = make(tmp_path, OLD)
    file, change = OVER[name]
    for path in (site / "docs").iterdir():
        os.utime(path, (0, 0))

    def act() -> str:
        fcntl.fcntl = no_lease
        held = os.open(site / file, os.O_WRONLY)

        def save() -> None:
            os.ftruncate(held, 0)
            os.write(held, SAVED.encode())

        at_sync(site, save)
        with ContentStore(site) as store, pytest.raises(RevisionMismatch):
            change(store)
        return "refused"

    assert in_child(act) == "refused"
    assert content(site) == {**OLD, file: SAVED}
    assert not (site / ".twinpress/state/journal.json").exists()


REFUSED: dict[str, Act] = {
    "a new page": lambda s: s.write("docs/c", "md", "new"),
    "a new page and its twin": lambda s: s.write("docs/c", "md", "new", "twin"),
    "a page": lambda s: s.write("docs/b", "md", "new"),
    "a page and its twin": lambda s: s.write("docs/a", "md", "new", "new twin"),
    "a page of another format": lambda s: s.write("docs/a", "mdx", "new"),
    "a page that is removed": lambda s: s.delete("docs/b"),
    "both that are removed": lambda s: s.delete("docs/a"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_the_disk_does_not_keep_are_taken_back(tmp_path: Path, name: str) -> None:
    site = make(tmp_path, OLD)

    def refuse() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def act() -> str:
        at_sync(site, refuse)
        with ContentStore(site) as store, pytest.raises(StorageError) as refused:
            REFUSED[name](store)
        return refused.value.hint

    assert in_child(act) == "the disk may be failing"
    assert content(site) == OLD
    assert not (site / ".twinpress/state/journal.json").exists()
