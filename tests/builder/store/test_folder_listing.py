"""The listing of a site's folders: it finds what is new, and looks at nothing that has not changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.store import FRESH, ContentStore
from tests.builder.children import in_child
from tests.builder.trees import make
from tests.waiting import until

SITE = {
    "site.yml": "title: T\n",
    "docs/a.md": "a",
    "docs/g/b.md": "b",
    "docs/g/deep/c.md": "c",
    "docs/empty/d.md": "d",
    "pages/about.md": "x",
    "static/x.png": "x",
    "other/x.md": "x",
}


def again(file: Path) -> None:
    """Save another text of the same length into a file."""
    file.write_text(file.read_text()[:-1] + "!")


SEEN: dict[str, Callable[[Path], object]] = {
    "a page more": lambda site: (site / "docs/n.md").touch(),
    "a page more, deep below": lambda site: (site / "docs/g/deep/n.md").touch(),
    "a page less": lambda site: (site / "docs/g/deep/c.md").unlink(),
    "another name": lambda site: (site / "docs/a.md").rename(site / "docs/z.md"),
    "a folder more": lambda site: (site / "docs/n").mkdir(),
    "a folder less": lambda site: (site / "docs/g/deep").rename(site / "other/deep"),
    "a root more": lambda site: (site / "docs").rename(site / "static/docs"),
    "a root less": lambda site: (site / "static").rename(site / "other/static"),
    "a file in the place of a folder": lambda site: [
        (site / "docs/empty/d.md").unlink(),
        (site / "docs/empty").rmdir(),
        (site / "docs/empty").touch(),
    ],
    "a link in the place of a file": lambda site: [
        (site / "docs/a.md").unlink(),
        (site / "docs/a.md").symlink_to("g/b.md"),
    ],
    "a pipe in the place of a file": lambda site: [
        (site / "docs/a.md").unlink(),
        os.mkfifo(site / "docs/a.md"),
    ],
    "other settings": lambda site: again(site / "site.yml"),
    "settings of another name": lambda site: (site / "site.yml").rename(site / "site.yaml"),
    "no settings": lambda site: (site / "site.yml").unlink(),
}
UNSEEN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda site: site,
    "what a page says": lambda site: again(site / "docs/a.md"),
    "hidden files": lambda site: (site / "docs/.a.md.swp").touch(),
    "files elsewhere": lambda site: [(site / "other/n.md").touch(), (site / "README.md").touch()],
    "what a link leads to": lambda site: (site / "other/n").mkdir(),
}


def settle(site: Path) -> None:
    """Wait until the times of all folders and files tell whether they have changed since."""
    paths = [site, *site.rglob("*")]

    def settled() -> bool:
        now = site.with_name("clock")
        now.touch()
        youngest = max(max(each.st_mtime_ns, each.st_ctime_ns) for each in map(os.lstat, paths))
        return now.lstat().st_ctime_ns - youngest > FRESH

    until(settled)


@pytest.mark.parametrize("settled", [True, False], ids=["long after", "at once"])
@pytest.mark.parametrize("name", [*SEEN, *UNSEEN])
def test_names_and_settings_that_are_others_are_seen(tmp_path: Path, name: str, settled: bool) -> None:
    site = make(tmp_path / "site", SITE)
    (site / "docs/link").symlink_to("../other")
    if settled:
        settle(site)
    with ContentStore(site) as store:
        listing = store.shape()
        number = listing.look()
        {**SEEN, **UNSEEN}[name](site)
        # Settings that were saved a moment ago may be other ones, though nothing tells it.
        seen = name in SEEN or not settled
        assert (listing.look() != number) is seen
        settle(site)
        number = listing.look()
        assert listing.look() == number


def test_a_folder_that_nothing_has_changed_is_not_listed_again(tmp_path: Path) -> None:
    site = make(tmp_path / "site", SITE)
    settle(site)

    def act() -> str:
        listed: list[str] = []

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event == "os.scandir":
                listed.append(os.path.relpath(Path(f"/proc/self/fd/{given[0]}").readlink(), site))

        with ContentStore(site) as store:
            listing = store.shape()
            listing.look()
            sys.addaudithook(hook)
            listing.look()
            (site / "docs/g/n.md").touch()
            listing.look()
        return " ".join(listed)

    assert in_child(act) == "docs/g"
