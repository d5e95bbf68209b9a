"""All sites that are asked for, each as it is now, as many as there is room for in memory."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from builder.errors import TwinpressError
from server.releases import hosts
from server.releases.hosts import HOSTS, Hosts, InvalidHosts
from server.releases.object_store import ObjectStore, StoreAway
from server.releases.release_store import POINTER, ReleaseStore
from server.releases.site_stores import SiteStores
from server.site_serving.live_site import LiveSite, load

T = TypeVar("T")

AGE = 0.02
"""Seconds for which a value is taken to be unchanged: one look a site serves all requests of that time."""
SLOW = 0.5
"""Seconds that a look is waited for where there is a value from before."""


class Watched(Generic[T]):
    """The value that `read` gives, given the one before; `version` is cheap to ask for. For one event loop.

    Both are called in a thread. A value is taken to be unchanged for `age` seconds. A fault is raised to all
    who wait, and looked into again at the next look; while the store is slow or away, the last value stays.
    """

    def __init__(self, version: Callable[[], str], read: Callable[[T | None], T], age: float = AGE) -> None:
        self._age = age
        self._version = version
        self._read = read
        self._seen: str | None = None
        self._value: T | None = None
        self._fault: Exception | None = None
        self.away: StoreAway | None = None
        """The fault of the last look, where the store was away; what was read before may be old."""
        self._until = 0.0
        self._look: asyncio.Task[None] | None = None

    @property
    def last(self) -> T | None:
        """The value that was read last, None before the first."""
        return self._value

    async def current(self) -> T:
        """Return the value as it was at most `age` seconds ago, or as it is known. Raises as `read` does."""
        loop = asyncio.get_running_loop()
        if loop.time() >= self._until:
            look = self._look or loop.create_task(self._look_again(loop))
            self._look = look
            await asyncio.wait([look], timeout=SLOW if self._seen is not None else None)
            if look.done():
                look.result()
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        assert self._value is not None  # noqa: S101 - there is a value or a fault
        return self._value

    async def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            await loop.run_in_executor(None, self._renew)
            self._fault = self.away = None
        except StoreAway as away:
            self._fault, self.away = away if self._value is None else None, away
        except (TwinpressError, OSError) as fault:
            self._seen, self._fault = None, fault
        finally:
            self._look = None
            self._until = loop.time() + self._age

    def _renew(self) -> None:
        # The version comes first: what changes in between has another one at the next look.
        version = self._version()
        if version != self._seen:
            self._value = self._read(self._value)
            self._seen = version


def _read_hosts(objects: ObjectStore, before: Hosts | None) -> Hosts:
    """Read the hosts of all sites. Raises InvalidHosts where they are gone, though there were some before."""
    found = hosts.read_hosts(objects)
    if not found.hosts and before is not None and before.hosts and not objects.version(HOSTS):
        raise InvalidHosts(f"{HOSTS} is gone")
    return found


MOST_FILES = 500_000
"""Files in the lists of all sites that are kept in memory: some 150 MB."""
_MOST_SITES = 5_000


class LiveSites:
    """The sites whose releases are in `stores`. For one event loop."""

    def __init__(self, stores: SiteStores, most_files: int = MOST_FILES) -> None:
        self._stores = stores
        self._most_files = most_files
        self._sites: OrderedDict[str, Watched[LiveSite]] = OrderedDict()
        objects = stores.shared()
        version, read = partial(objects.version, HOSTS), partial(_read_hosts, objects)
        self._hosts = Watched[Hosts](version, read, stores.look)

    async def hosts(self) -> Hosts:
        """Return the hosts of all sites. Raises InvalidHosts and StorageError."""
        return await self._hosts.current()

    @property
    def away(self) -> StoreAway | None:
        """The fault of the last look at the hosts, where the store was away."""
        return self._hosts.away

    @property
    def last_hosts(self) -> Hosts | None:
        """The hosts as they could be read last."""
        return self._hosts.last

    async def get(self, id: str) -> LiveSite:
        """Return a site as it is now. Raises DamagedRelease, ReleaseNotFound and StorageError."""
        watched = self._sites.get(id)
        if watched is None:
            watched = self._sites[id] = self._watched(id)
        before = watched.last
        site = await watched.current()
        if site is not before:
            self._make_room(id)
        return site

    def _watched(self, id: str) -> Watched[LiveSite]:
        store = ReleaseStore(self._stores.site(id))
        return Watched(partial(store.objects.version, POINTER), partial(load, store), self._stores.look)

    def _make_room(self, id: str) -> None:
        """Forget the sites that have changed or come longest ago, where there are too many files."""
        if id in self._sites:
            self._sites.move_to_end(id)
        count = sum(len(each.last.files) for each in self._sites.values() if each.last)
        while len(self._sites) > 1 and (count > self._most_files or len(self._sites) > _MOST_SITES):
            _, gone = self._sites.popitem(last=False)
            count -= len(gone.last.files) if gone.last else 0
