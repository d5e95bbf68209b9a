"""The executor that has pages rendered by a Dask cluster, in chunks, and takes them in the order of the site.

    jobs -> chunks of 64 pages or more -> tasks -> workers -> a store that all see -> the pages in order

With a task a worker gets the sources of its pages, and what all chunks need: once. It puts what it has made
into the store; the digest of that comes back by Dask, and nothing else is taken out of the store. The store
of a cluster on this machine is a folder, and its workers write the finished files themselves. Elsewhere it is
the shared cache, and without one pages come back by Dask; this machine writes the files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from builder.render import RenderedPage
from builder.workers.page_job import Job
from builder.workers.page_worker import Worker
from builder.workers.processors import processes
from server.dask_executor.cluster import found_cluster, look_for, own_cluster
from server.dask_executor.rendering import ChunkPlace, Rendering
from server.shared_caches.open_cache import chunk_prefix, seen_from_anywhere

CHUNK = 64
"""Pages of a chunk, at least, where a site has as many: enough to hide its way to a worker."""
MOST_TEXT = 2 * 1024 * 1024
"""Characters of the sources of a chunk: its pages are all in memory at once, and travel as one."""
NO_WORKER, NO_OWN_WORKER = 60.0, 600.0
"""Seconds without any worker after which a cluster is given up: one that is there, and one of our own."""


class DaskExecutor:
    """Renders in the cluster at `address`, or without one in a cluster of `number` workers on this machine.

    `target` is the address of a shared cache, into which a cluster elsewhere puts its pages. `chunk` is the
    least number of pages in a task. `notes` tell afterwards what went otherwise than it should.
    """

    def __init__(
        self, address: str = "", *, number: int | None = None, target: str = "", chunk: int = CHUNK
    ) -> None:
        self.notes: list[str] = []
        self._address = address
        self._number = number
        self._target = target
        self._chunk = chunk

    def look(self) -> None:
        """Look whether anything listens at the address, before a site is read. Raises ClusterFailure."""
        if self._address:
            look_for(self._address)

    def render(self, jobs: Sequence[Job], worker: Worker) -> Iterator[RenderedPage]:
        """Yield the page of each job in order. Raises ClusterFailure, OtherEngine, and what workers raise."""
        held: list[RenderedPage] = []
        with ExitStack() as stack:
            rendering = self._begin(stack, len(jobs), worker)
            for pages in rendering.chunks(_chunks(jobs, self._chunk)):
                yield from held
                held = pages  # the last ones are for when the cluster has ended
        self.notes += rendering.notes
        yield from held

    def _begin(self, stack: ExitStack, pages: int, worker: Worker) -> Rendering:
        if self._address:
            place = ChunkPlace(seen_from_anywhere(self._target), chunk_prefix()) if self._target else None
            client = stack.enter_context(found_cluster(self._address))
            return Rendering(client, worker, place, self._address, NO_WORKER)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="twinpress-"))
        client = stack.enter_context(own_cluster(processes(pages, self._number), Path(folder)))
        return Rendering(client, worker, ChunkPlace(folder, "chunks"), "", NO_OWN_WORKER)


def _chunks(jobs: Sequence[Job], least: int) -> Iterator[Sequence[Job]]:
    """Part jobs into chunks of nearly one size, at `least` so many each where there are as many.

    Very long pages are in smaller ones.
    """
    number = max(1, len(jobs) // least)
    for part in range(number):
        yield from _bounded(jobs[len(jobs) * part // number : len(jobs) * (part + 1) // number])


def _bounded(jobs: Sequence[Job]) -> Iterator[Sequence[Job]]:
    """Halve a chunk until its sources are not too long, or it has one page."""
    if len(jobs) < 2 or sum(job.page.document.size for job in jobs) <= MOST_TEXT:
        yield jobs
        return
    half = len(jobs) // 2
    yield from _bounded(jobs[:half])
    yield from _bounded(jobs[half:])
