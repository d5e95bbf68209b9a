"""The sites of the service that are in use: opened by the first who needs one, closed when nobody does.

Hundreds of sites that nobody uses cost nothing. Each open one has threads and a process of its own, so that a
large review of one holds up no other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Condition, RLock

from msgspec import Struct, field

from server.authoring.open_site import OpenSite, open_site
from server.authoring.site_key_limits import ClientLimits, SiteRoom
from server.control.hosted_sites import HostedSite
from server.control.plans import PLANS, PlanName, Plans
from server.http.failure import Failure
from server.sites.archive_limits import ArchiveLimits

IDLE = 60.0
"""Seconds after which a site that nobody uses is closed."""
SITE = ArchiveLimits()
"""Of the files of a site together: as many, and as large, as one that is imported."""
MOST = 64
"""Sites that are open at a time; of more, those are closed that nobody uses."""
OPENERS = 4
"""Sites that are opened or closed at a time."""


class _Place(Struct):
    """One site: `closing` ends what `opening` gives, once it has been opened; `users` are at it.

    `site` is what it gives, and `failed` says that it gives nothing: each request asks, and a future would
    take its lock for that. A `retired` one takes no more users.
    """

    id: str
    plan: PlanName | None
    opening: Future[OpenSite] = field(default_factory=Future)
    closing: ExitStack = field(default_factory=ExitStack)
    users: int = 0
    used: float = field(default_factory=time.monotonic)
    site: OpenSite | None = None
    failed: bool = False
    retired: bool = False


class OpenSites:
    """The open ones of the sites whose folders are in `folder`, by id. Safe to use from several threads."""

    def __init__(
        self, folder: Path, limits: ClientLimits, plans: Plans = PLANS, *, idle: float = IDLE
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._plans = plans
        self._idle = idle
        self._threads = ThreadPoolExecutor(OPENERS, "twinpress-sites")
        self._lock = RLock()  # each request takes it: by way of a condition that costs three times as much
        self._free = Condition(self._lock)
        self._places: dict[str, _Place] = {}
        self._left: list[_Place] = []

    def root(self, site: str) -> Path:
        """The folder of the site with this id."""
        return self._folder / site

    @property
    def length(self) -> int:
        """The number of sites that are open."""
        return len(self._places)

    def in_use(self) -> dict[str, OpenSite]:
        """Return the sites that are open, by id; each may be closed at any moment."""
        with self._free:
            return {place.id: place.site for place in self._places.values() if place.site is not None}

    def use(self, id: str, plan: PlanName | None) -> _Use:
        """A site, opened for this plan if need be, for the block. Raises StorageError, and Failure."""
        return _Use(self._enter, self._leave, id, plan)

    @contextmanager
    def using(self, site: HostedSite) -> Iterator[OpenSite]:
        """The same in a thread that may wait."""
        place = self._enter(site.id, site.plan)
        try:
            yield place.opening.result()
        finally:
            self._leave(place)

    def close_idle(self) -> None:
        """Close the sites that nobody has used for a while."""
        before = time.monotonic() - self._idle
        with self._free:
            for id, place in list(self._places.items()):
                if not place.users and place.used < before:
                    self._retire(id)
        self._close_left()

    def close_one(self, id: str) -> None:
        """Close a site, when all that was begun with it is done; for one whose folder is to go."""
        with self._free:
            place = self._places.get(id)
            if place is None:
                return
            self._retire(id)
            self._free.wait_for(lambda: not place.users)
        self._close_left()

    def close(self) -> None:
        """Close all sites, when what was begun with them is done."""
        with self._free:
            for id in list(self._places):
                self._retire(id)
            self._free.wait_for(lambda: not any(place.users for place in self._left))
        self._close_left()
        self._threads.shutdown()

    def _enter(self, id: str, plan: PlanName | None) -> _Place:
        with self._lock:
            place = self._places.get(id)
            if place is not None and (place.plan != plan or place.failed):
                self._retire(id)
                place = None
            if place is None:
                place = self._begin(id, plan)
            place.users += 1
            return place

    def _begin(self, id: str, plan: PlanName | None) -> _Place:
        """Have a site opened; of too many, the one that was used longest ago is closed. Raises Failure."""
        if len(self._places) >= MOST:
            idle = [place for place in self._places.values() if not place.users]
            if not idle:
                message = "so many sites are in use that no further one can be opened: try again"
                raise Failure("TOO_BUSY", message, {"Retry-After": "1"})
            self._retire(min(idle, key=lambda place: place.used).id)
            self._threads.submit(self._close_left)
        place = self._places[id] = _Place(id, plan)
        self._threads.submit(self._open, place)
        return place

    def _open(self, place: _Place) -> None:
        room = SiteRoom(self._plans[place.plan or "free"].history_bytes, SITE.total_bytes)
        opened = open_site(self.root(place.id), place, self._limits, plan=place.plan, shared=True, room=room)
        try:
            place.site = place.closing.enter_context(opened)
            place.site.history.begin()
        except BaseException as error:  # noqa: BLE001 - it is for those who wait for the site
            place.failed = True
            place.opening.set_exception(error)
        else:
            place.opening.set_result(place.site)

    def _leave(self, place: _Place) -> None:
        with self._lock:
            place.users -= 1
            place.used = time.monotonic()
            if place.retired and not place.users:
                self._free.notify_all()
                self._threads.submit(self._close_left)

    def _retire(self, id: str) -> None:
        """Let nobody else enter a place; it is closed when all have left. Needs the lock."""
        place = self._places.pop(id)
        place.retired = True
        self._left.append(place)

    def _close_left(self) -> None:
        with self._free:
            ready = [place for place in self._left if not place.users and place.opening.done()]
            self._left = [place for place in self._left if place not in ready]
        for place in ready:
            place.closing.close()


class _Use(Struct):
    """A site that is used for the time of a block of `async with`, which costs less than a generator."""

    enter: Callable[[str, PlanName | None], _Place]
    leave: Callable[[_Place], None]
    id: str
    plan: PlanName | None
    place: _Place | None = None

    async def __aenter__(self) -> OpenSite:
        place = self.place = self.enter(self.id, self.plan)
        if place.site is not None:
            return place.site
        try:
            await asyncio.wait([asyncio.wrap_future(place.opening)])
            return place.opening.result()
        except BaseException:
            self.leave(place)
            raise

    async def __aexit__(self, *_: object) -> None:
        if self.place is not None:
            self.leave(self.place)
