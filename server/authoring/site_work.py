"""The work of the dashboard and the command line on an account's sites: create, delete, and use them."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import BinaryIO, TypeVar, cast

from msgspec import Struct

from builder.store import failures
from server.authoring.open_site import OpenSite
from server.authoring.open_sites import OpenSites
from server.authoring.site_key_limits import ClientLimits
from server.control.audit import Action, By, KeyWrites
from server.control.hosted_sites import HostedSite, HostedSites, new_id
from server.control.keys.site_keys import SiteKeys
from server.control.plans import Plans
from server.control.site_choices import ChosenForSites
from server.control.sqlite.data_folder import SITES
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.local_database import OUTER, STATE
from server.sites.locked_folder import lock_new, sweep, taken_over
from server.sites.new_folder import GivenUp
from server.sites.starter import title_of, write_starter

T = TypeVar("T")
THREADS, ARCHIVES = 4, 8
"""Threads that create and delete sites; and archives of sites that are read or written at a time."""
EXPORT = ".export-"
"""The beginning of the names of folders with what is on its way out."""
_NEW, _GONE = ".new-", ".gone-"
"""Beginnings of the names of folders that are not yet sites, or are none any more."""
_FILES = "site"
"""The files of a site in the folder in which it is made."""


class SiteWork(Struct, frozen=True):
    """The sites of all accounts: `opened` are those in use, `threads` do what waits for the disk.

    `choices` are what owners have switched on.

    What may take minutes has threads of its own, `packers`, and so has each site: nobody waits for others. It
    is given up when the service is `ending`. What keys write is told to `key_writes`.
    """

    sites: HostedSites
    keys: SiteKeys
    opened: OpenSites
    threads: Executor
    packers: Executor
    ending: Event
    key_writes: KeyWrites
    choices: ChosenForSites

    async def do(self, work: Callable[[], T]) -> T:
        """Do work that may wait for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)

    async def pack(self, work: Callable[[], T]) -> T:
        """Do work on an archive, which may take minutes."""
        return await asyncio.get_running_loop().run_in_executor(self.packers, work)

    def check_going(self) -> None:
        """Raise GivenUp when the service is about to end."""
        if self.ending.is_set():
            raise GivenUp("the service ends", hint="try again when it is there again")

    def watched(self, file: BinaryIO) -> BinaryIO:
        """The file of an archive, which raises GivenUp as soon as the service is about to end."""
        return cast(BinaryIO, _Watched(file, self.check_going))

    async def use(self, site: HostedSite, work: Callable[[OpenSite], T]) -> T:
        """Do work on an open site, in a thread of the site."""
        async with self.opened.use(site.id, site.plan) as opened:
            return await asyncio.get_running_loop().run_in_executor(opened.threads, lambda: work(opened))

    def create(self, account: str, name: str, by: By, title: str = "") -> HostedSite:
        """A site with the pages of the starter. Raises as `HostedSites.create`, and StorageError."""

        def fill(folder: Path) -> None:
            write_starter(folder, title or title_of(name.strip().lower()))

        return self.created(account, name, by, fill, "site.create")

    def created(
        self, account: str, name: str, by: By, fill: Callable[[Path], object], action: Action
    ) -> HostedSite:
        """A site whose files `fill` writes into its empty folder; when that fails, there is none.

        The folder has its place before the site is known, so that no site is ever without files. Until both
        are there, the folder in which it is made is locked: without a lock, somebody was killed in between.
        """
        name = self.sites.check_room(account, name)
        with self._making(name) as (id, new):
            root = self.opened.root(id)
            try:
                with failures.writing(name):
                    new.mkdir(0o700)
                    fill(new)
                    (new / OUTER / STATE).mkdir(0o700, parents=True, exist_ok=True)
                    for path in new.rglob("*"):
                        self.check_going()
                        _settle(path)
                    new.rename(root)
                    _settle(root.parent)
                return self.sites.create(account, name, by, id=id, action=action)
            except GivenUp:
                raise
            except BaseException:
                shutil.rmtree(root, ignore_errors=True)
                raise

    @contextmanager
    def _making(self, name: str) -> Iterator[tuple[str, Path]]:
        """The id of a new site, and the place of its files while these are made, in a locked folder.

        Given up in haste, they stay until somebody looks for what is left.
        """
        with failures.writing(name):
            while (descriptor := lock_new(outer := self.opened.root(_NEW + (id := new_id())))) is None:
                pass  # it was taken for one that is left
        try:
            yield id, outer / _FILES
        except GivenUp:
            raise
        except BaseException:
            shutil.rmtree(outer, ignore_errors=True)
            raise
        else:
            shutil.rmtree(outer, ignore_errors=True)
        finally:
            os.close(descriptor)

    def delete_due(self) -> None:
        """Delete the sites whose time is over, and what is left of earlier ones. Any process may do so."""
        for site in self.sites.due():
            self.opened.close_one(site.id)
            with suppress(FileNotFoundError):  # another process was quicker, or an earlier one was ended here
                self.opened.root(site.id).rename(self.opened.root(_GONE + site.id))
            self.sites.forget(site.id)
        self.sites.forget_old_names()
        self._sweep()

    def _sweep(self) -> None:
        """Remove the folders of sites that are gone, and those in which nobody works any more."""
        folder = self.opened.root("")
        for gone in folder.glob(f"{_GONE}*"):
            shutil.rmtree(gone, ignore_errors=True)
        sweep(folder.glob(f"{EXPORT}*"))
        for begun in folder.glob(f"{_NEW}*"):
            with taken_over(begun) as ours:
                if ours:
                    self._remove_begun(begun)

    def _remove_begun(self, begun: Path) -> None:
        """Remove what is left of making a site: its files too, unless the site is known."""
        id = begun.name.removeprefix(_NEW)
        if id and not self.sites.is_known(id):
            shutil.rmtree(self.opened.root(id), ignore_errors=True)
        shutil.rmtree(begun, ignore_errors=True)


@contextmanager
def open_site_work(database: ControlDatabase, data: Path, plans: Plans) -> Iterator[SiteWork]:
    """The sites in a data folder; all that are open are closed with the block."""
    folder = data / SITES
    folder.mkdir(0o700, exist_ok=True)
    with (
        closing(SiteKeys(database)) as keys,
        closing(KeyWrites(database)) as key_writes,
        closing(OpenSites(folder, ClientLimits(), plans)) as opened,
        ThreadPoolExecutor(THREADS, "twinpress-site-work") as threads,
        ThreadPoolExecutor(ARCHIVES, "twinpress-archives") as packers,
    ):
        ending = Event()
        try:
            sites, choices = HostedSites(database, plans=plans), ChosenForSites(database)
            yield SiteWork(sites, keys, opened, threads, packers, ending, key_writes, choices)
        finally:
            ending.set()


class _Watched(io.RawIOBase):
    """A file that asks, before each byte is read or written, whether there is any use."""

    def __init__(self, file: BinaryIO, check: Callable[[], None]) -> None:
        self._file = file
        self._check = check

    def readable(self) -> bool:
        return self._file.readable()

    def writable(self) -> bool:
        return self._file.writable()

    def seekable(self) -> bool:
        return self._file.seekable()

    def _look(self) -> None:
        """Raise GivenUp, also where the request has been given up, and its file with it."""
        self._check()
        if self._file.closed:
            raise GivenUp("nobody waits for the archive any more")

    def readinto(self, buffer: object, /) -> int:
        self._look()
        view = cast(memoryview, buffer)
        data = self._file.read(len(view))
        view[: len(data)] = data
        return len(data)

    def write(self, data: object, /) -> int:
        self._look()
        return self._file.write(cast(bytes, data))

    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        self._look()
        return self._file.seek(place, whence)

    def tell(self) -> int:
        self._look()
        return self._file.tell()


def _settle(path: Path) -> None:
    """Have a file, or the names in a folder, on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
