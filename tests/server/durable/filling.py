"""A program that fills the disk of a site, and removes all pages again; it prints what happened, as JSON.

    python -m tests.server.durable.filling SITE [kept | killed | lent | none | alone]

`killed`: it is ended between giving the reserve to the disk and taking it again. `none`: there is no reserve.
`lent`: another process uses the reserve when the pages are removed, as who folds the history does.
`alone`: nobody brings the history up to date meanwhile, which uses the reserve too, and nothing is removed.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from builder.errors import PageNotFound, StorageError
from builder.store import ContentStore, reserve
from server.history import History
from tests.sites import write_site

SIZES = (1_000_000, 200_000, 30_000, 4_000, 90)
STATE = ".twinpress/state"


class Site:
    """The site, and what was written to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: dict[str, str] = {}
        self.earlier: list[str] = []
        self.refused = 0
        self._chance = random.Random(1)

    def fill(self, store: ContentStore) -> None:
        """Write pages that nothing can make smaller, until not even a small one has room."""
        for size in SIZES:
            number = 0
            while self._put(store, f"docs/s{size}-{number}", self._chance.randbytes(size // 2).hex()):
                number += 1

    def _put(self, store: ContentStore, path: str, text: str) -> bool:
        try:
            store.write(path, "md", text)
        except StorageError as error:
            if not reserve.is_full(error.__cause__):
                raise
            self.refused += 1
            return False
        self.texts[path] = text
        return True

    def kept(self) -> int:
        """The bytes of the reserve."""
        try:
            return (self.root / STATE / reserve.NAME).stat().st_size
        except FileNotFoundError:
            return -1


def removed(site: Site, store: ContentStore) -> list[str]:
    """Remove all pages; gives why that is refused for some."""
    refused = []
    for path in site.texts:
        try:
            store.delete(path)
        except PageNotFound:
            pass  # it was removed by a process that was ended then
        except StorageError as error:
            refused.append(str(error))
    return refused


def edited(site: Site) -> None:
    """Change a page as an editor does, in its place: nobody has kept what it says then."""
    path, text = next(iter(site.texts.items()))
    site.earlier.append(text)
    site.texts[path] = text[::-1]
    with (site.root / f"{path}.md").open("r+") as file:
        file.write(text[::-1])


def killed(site: Site) -> None:
    """Remove a page in a process that is ended when it has given the reserve to the disk."""
    child = os.fork()
    if not child:
        state = os.open(site.root / STATE, os.O_RDONLY)
        with ContentStore(site.root):
            reserve.release(state)
            os._exit(9)
    os.waitpid(child, 0)


def lent(site: Site) -> None:
    """Have another process use all of the reserve, and for a second longer than this takes."""
    begun, told = os.pipe()
    child = os.fork()
    if not child:
        state, filler = os.open(site.root / STATE, os.O_RDONLY), site.root / "filler"
        with reserve.lent(state):
            reserve.release(state)
            with filler.open("wb") as file, suppress(OSError):
                while True:
                    os.write(file.fileno(), b"x" * 4096)
            os.write(told, b".")
            time.sleep(1)
            filler.unlink()
            reserve.keep(state)
        os._exit(0)
    os.read(begun, 1)


def alone(site: Site) -> dict[str, int]:
    """Fill the disk; what there is of the reserve before it and after it."""
    with History(site.root / STATE) as history, ContentStore(site.root, history):
        history.catch_up()
    before = site.kept()
    with ContentStore(site.root) as store:
        site.fill(store)
    return {"reserve": before, "full": site.kept(), "refused": site.refused}


def full(site: Site, how: str) -> dict[str, Any]:
    """Fill the disk, and remove all again."""
    root, told = site.root, dict[str, Any]()
    with History(root / STATE) as history, ContentStore(root, history) as store:
        if how != "none":
            history.catch_up()
        told["reserve"] = site.kept()
        site.fill(store)
        told["refused"] = site.refused
        if how == "killed":
            killed(site)
            site.fill(store)  # which the reserve is not given to
    if how != "none":
        edited(site)
    with History(root / STATE) as history, ContentStore(root, history) as store:
        told["pages"] = len(site.texts)
        if how == "lent":
            lent(site)
        told["stay"] = removed(site, store)
        history.catch_up()
        told["end"] = site.kept()
        blobs = {each.old for revision in history.revisions() for each in revision.files if each.old}
        found = {data.decode() for data in history.contents(blobs).values()}
        told["lost"] = [text[:20] for text in (*site.texts.values(), *site.earlier) if text not in found]
    return told


def main(root: Path, how: str) -> None:
    write_site(root, {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
    site = Site(root)
    print(json.dumps(alone(site) if how == "alone" else full(site, how)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
