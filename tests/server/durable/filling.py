"""A program that fills the disk of a site, and removes all pages again; it prints what happened, as JSON.

    python -m tests.server.durable.filling SITE [kept | killed | lent | none | alone | unfolded]

`killed`: it is ended between giving the reserve to the disk and taking it again. `none`: there is no reserve,
as something else has taken most of the disk before the first page was written.
`lent`: another process uses the reserve when the pages are removed, as who folds the history does.
`alone`: nobody brings the history up to date meanwhile, which uses the reserve too, and nothing is removed.
`unfolded`: there is room for some packs of the history, and not for all that it needs.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from builder.errors import PageNotFound, StorageBusy, StorageError
from builder.store import ContentStore, reserve
from server.history import History
from tests.sites import write_site
from tests.waiting import until

MOST = 30 * 1024 * 1024
"""Bytes: of a disk of 64 MB less than ten times the reserve is free then."""
ROOM = 12 * 1024 * 1024
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
            while self.put(store, f"docs/s{size}-{number}", self._chance.randbytes(size // 2).hex()):
                number += 1

    def put(self, store: ContentStore, path: str, text: str) -> bool:
        """Write a page; whether it had room."""
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

    def packs(self) -> list[str]:
        """The names of the history's packs."""
        return [each.name for each in (self.root / STATE / "history/git/objects/pack").iterdir()]


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
        with (site.root / STATE / "history/lock").open("r+") as turn, reserve.lent(state):
            fcntl.flock(turn, fcntl.LOCK_EX)  # as who folds: nobody else does meanwhile
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


def unfolded(site: Site) -> dict[str, Any]:
    """Fill the disk but for some room, and have the history try twice to take all in; what it leaves."""
    filler = site.root / "filler"
    with History(site.root / STATE) as history:
        history.catch_up()
        packs = set(site.packs())
        filler.write_bytes(b"x" * ROOM)
        with ContentStore(site.root) as store:
            site.fill(store)
        filler.unlink()
        said = [_refused(history.catch_up) for _ in range(2)]
    left = sorted({*site.packs()} - packs)
    return {"said": said, "reserve": site.kept(), "left": left, "free": shutil.disk_usage(site.root).free}


def _refused(act: Callable[[], None]) -> str:
    try:
        act()
    except StorageError as error:
        return str(error)
    return ""


def caught_up(history: History) -> bool:
    """Bring the history up to date; return whether nobody else was busy with that."""
    try:
        history.catch_up()
    except StorageBusy:
        return False
    return True


def full(site: Site, how: str) -> dict[str, Any]:
    """Fill the disk, and remove all again."""
    root, told = site.root, dict[str, Any]()
    with History(root / STATE) as history, ContentStore(root, history) as store:
        if how == "none":
            (root / "filler").write_bytes(b"x" * MOST)
        site.put(store, "docs/first", "The reserve is there from now on.")
        told["reserve"] = site.kept()
        site.fill(store)
        told["refused"] = site.refused
        if how == "killed":
            killed(site)
            site.fill(store)  # which the reserve is not given to
    if how != "none":
        edited(site)
    if how == "lent":  # while no thread has a lock open that the new process would keep
        lent(site)
    with History(root / STATE) as history, ContentStore(root, history) as store:
        told["pages"] = len(site.texts)
        told["stay"] = removed(site, store)
        until(lambda: caught_up(history))
        told["end"] = site.kept()
        blobs = {each.old for revision in history.revisions() for each in revision.files if each.old}
        found = {data.decode() for data in history.contents(blobs).values()}
        told["lost"] = [text[:20] for text in (*site.texts.values(), *site.earlier) if text not in found]
    return told


def main(root: Path, how: str) -> None:
    write_site(root, {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
    site = Site(root)
    other = {"alone": alone, "unfolded": unfolded}.get(how)
    print(json.dumps(other(site) if other else full(site, how)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
