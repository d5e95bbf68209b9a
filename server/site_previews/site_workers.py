"""The processes of the sites that are looked at: started when somebody asks, ended when nobody does.

A site that nobody looks at costs nothing.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from server.dashboard.previews import PreviewFailed
from server.site_previews.limits import PreviewLimits
from server.site_previews.site_worker import SiteFolder, SiteWorker
from server.site_previews.worker.confine import landlock_version

_NOT_CONFINED = "Without Landlock in this system, processes of previews could read all files of this user."
_NAME_BYTES = 8
"""Of a socket: a process that is confined cannot list the folder, and finds no other's."""
_AGAIN = 5
"""Seconds after which it may be worth asking again."""


class SiteWorkers:
    """The processes by the ids of their sites. For one event loop.

    `tell` is told once where the system cannot confine them.
    """

    def __init__(self, limits: PreviewLimits, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._limits = limits
        self._running: dict[str, SiteWorker] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    @property
    def running(self) -> dict[str, int]:
        """Return the ids of the processes by those of their sites."""
        return {id: worker.number for id, worker in self._running.items()}

    @asynccontextmanager
    async def of(self, id: str, site: SiteFolder) -> AsyncIterator[SiteWorker]:
        """The process of the site with this id, for one request. Raises PreviewFailed."""
        worker = self._at_hand(id, site) or self._start(id, site)
        worker.under_way += 1
        try:
            yield worker
        finally:
            worker.under_way -= 1
            self._rest(id, worker)

    def end(self, id: str, worker: SiteWorker) -> None:
        """End the process of a site, unless that is another by now."""
        if self._running.get(id) is worker:
            del self._running[id]
            task = asyncio.get_running_loop().create_task(worker.end())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End all of them, and wait until they have gone."""
        self._closed = True
        for id, worker in list(self._running.items()):
            self.end(id, worker)
        await asyncio.gather(*self._ending)
        if self._folder is not None:
            self._folder.cleanup()

    def _at_hand(self, id: str, site: SiteFolder) -> SiteWorker | None:
        worker = self._running.get(id)
        if worker is not None and worker.is_alive and worker.site == site:
            return worker
        if worker is not None:
            self.end(id, worker)  # it has ended by itself, or shows another folder or another plan
        return None

    def _start(self, id: str, site: SiteFolder) -> SiteWorker:
        if self._closed:
            raise PreviewFailed(503, "The service is stopping.")
        self._make_room()
        place = Path(self._own_folder()) / secrets.token_hex(_NAME_BYTES)
        worker = self._running[id] = SiteWorker(site, place, self._limits)
        return worker

    def _make_room(self) -> None:
        """End the process that nobody has asked for longest, where there are too many."""
        if len(self._running) < self._limits.workers:
            return
        idle = [(worker.last_used, id) for id, worker in self._running.items() if not worker.under_way]
        if not idle:
            says = "Too many previews are being made just now. Try again in a moment."
            raise PreviewFailed(503, says, retry_after=_AGAIN)
        longest = min(idle)[1]
        self.end(longest, self._running[longest])

    def _rest(self, id: str, worker: SiteWorker) -> None:
        """Have the process ended, unless somebody asks for it again in time."""
        loop = asyncio.get_running_loop()
        worker.last_used = used = loop.time()

        def end() -> None:
            if not worker.under_way and worker.last_used == used:
                self.end(id, worker)

        loop.call_later(self._limits.idle_seconds, end)

    def _own_folder(self) -> str:
        if self._folder is None:
            if not landlock_version():
                self._tell(_NOT_CONFINED)
            self._folder = tempfile.TemporaryDirectory(prefix="twinpress-")
        return self._folder.name
