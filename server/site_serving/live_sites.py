"""All sites that are asked for, each as it is now, as many as there is room for in memory."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from pathlib import Path

from server.releases import hosts
from server.releases.folder_store import FolderStore
from server.releases.hosts import HOSTS, Hosts
from server.releases.release_store import POINTER, ReleaseStore
from server.site_serving.live_site import LiveSite, load
from server.site_serving.watched import Watched

MOST_FILES = 500_000
"""Files in the lists of all sites that are kept in memory: some 150 MB."""
_MOST_SITES = 5_000


class LiveSites:
    """The sites whose releases are below `folder`. For one event loop."""

    def __init__(self, folder: Path, most_files: int = MOST_FILES) -> None:
        self._folder = folder
        self._most_files = most_files
        self._sites: OrderedDict[str, Watched[LiveSite]] = OrderedDict()
        objects = FolderStore(folder)
        self._hosts = Watched[Hosts](partial(objects.version, HOSTS), lambda _: hosts.read_hosts(objects))

    async def hosts(self) -> Hosts:
        """Return the hosts of all sites. Raises InvalidHosts and StorageError."""
        return await self._hosts.current()

    @property
    def last_hosts(self) -> Hosts | None:
        """The hosts as they could be read last."""
        return self._hosts.last

    async def get(self, id: str) -> LiveSite:
        """Return a site as it is now. Raises DamagedRelease, ReleaseNotFound and StorageError."""
        watched = self._sites.get(id)
        if watched is None:
            watched = self._sites[id] = _watched(self._folder / id)
        before = watched.last
        site = await watched.current()
        if site is not before:
            self._make_room(id)
        return site

    def _make_room(self, id: str) -> None:
        """Forget the sites that have changed or come longest ago, where there are too many files."""
        if id in self._sites:
            self._sites.move_to_end(id)
        count = sum(len(each.last.files) for each in self._sites.values() if each.last)
        while len(self._sites) > 1 and (count > self._most_files or len(self._sites) > _MOST_SITES):
            _, gone = self._sites.popitem(last=False)
            count -= len(gone.last.files) if gone.last else 0


def _watched(folder: Path) -> Watched[LiveSite]:
    store = ReleaseStore(FolderStore(folder))
    return Watched(partial(store.objects.version, POINTER), partial(load, store))
