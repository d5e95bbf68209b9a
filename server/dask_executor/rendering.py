"""One rendering of a site's pages by a cluster: chunks are sent, waited for, and taken.

Dask gives a chunk to another worker when one dies over it. One over which several have died is rendered here,
in a process of its own: should a page be the reason, it is found out and shown as lost, as in any build.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager

from distributed import Client, Future, KilledWorker
from distributed.comm.core import CommClosedError
from msgspec import Struct

from builder.errors import StorageError
from builder.render import RenderedPage
from builder.workers.page_job import Job
from builder.workers.page_worker import Worker
from builder.workers.pool import render_all
from builder.workers.remote_worker import RenderedChunk, pack_worker, received_chunk
from server.dask_executor.chunk_task import ChunkAnswer, ChunkOrder, engine, hold, render, rows_of
from server.dask_executor.failures import lost, without_workers
from server.shared_caches.open_cache import store_to

AHEAD = 3
"""Chunks that are under way for each thread of the cluster."""
LOOK = 2.0
"""Seconds between two looks at the cluster, while a chunk is waited for."""

_BY_DASK = "pages came back by Dask"
_LOST = (CancelledError, CommClosedError, OSError)


class ChunkPlace(Struct, frozen=True):
    """The address of a store, and what names in it begin with."""

    store: str
    prefix: str


class _Sent(Struct, frozen=True):
    """A chunk that a worker renders, its number, and the place in which its pages will be found."""

    number: int
    jobs: Sequence[Job]
    store: str
    name: str
    future: Future[ChunkAnswer]


class Rendering:
    """Renders chunks as `worker` would; a cluster without an `address` is this machine's own.

    Pages wait in `place` until they are taken; without one they come back by Dask. `patience` are the seconds
    that the cluster may be without workers. `notes` tell what went otherwise than it should.
    """

    def __init__(
        self, client: Client, worker: Worker, place: ChunkPlace | None, address: str, patience: float
    ) -> None:
        self.notes: list[str] = []
        self._client = client
        self._worker = worker
        self._place = place
        self._prefix = place.prefix if place else ""
        self._address = address
        self._patience = patience
        self._engine = engine()
        self._threads_seen = time.monotonic()

    def chunks(self, chunks: Iterable[Sequence[Job]]) -> Iterator[list[RenderedPage]]:
        """Yield the pages of each chunk in order.

        Raises ClusterFailure, OtherEngine, and what workers raise.
        """
        todo, under_way = enumerate(chunks), deque[_Sent]()
        packed = pack_worker(self._worker, is_here=not self._address)
        with self._connected():
            plan = self._client.submit(hold, packed, pure=False)
        waiting = next(todo, None)
        while waiting or under_way:
            wanted = max(2, AHEAD * self._threads())
            while waiting and len(under_way) < wanted:
                under_way.append(self._send(*waiting, plan))
                waiting = next(todo, None)
            yield list(self._taken(under_way.popleft(), plan))  # the last use of its future: Dask forgets it
        if self._place:
            store_to(self._place.store).leave(self._prefix)

    def _send(self, number: int, jobs: Sequence[Job], plan: Future[bytes]) -> _Sent:
        data = pickle.dumps(jobs, pickle.HIGHEST_PROTOCOL)
        store, name = (self._place.store, f"{self._place.prefix}/{number}.pack") if self._place else ("", "")
        order = ChunkOrder(data, self._engine, store, name, bool(self._address))
        with self._connected():
            future = self._client.submit(render, order, plan, pure=False)
        return _Sent(number, jobs, store, name, future)

    def _taken(self, sent: _Sent, plan: Future[bytes]) -> Iterator[RenderedPage]:
        """The pages of a chunk, wherever they are made in the end."""
        while (answer := self._answer(sent.future)) is not None:
            rows = self._rows(sent, answer)
            if rows is not None:
                chunk = RenderedChunk(rows, answer.whole)
                return received_chunk(sent.jobs, chunk, self._worker)
            self._place = None
            sent = self._send(sent.number, sent.jobs, plan)
        self._note("several workers have ended over the same pages: these were rendered by this machine")
        return render_all(sent.jobs, self._worker, 1)

    def _answer(self, future: Future[ChunkAnswer]) -> ChunkAnswer | None:
        """Wait for a worker's answer; None when several have died over the chunk."""
        while True:
            try:
                with self._connected(future):
                    answer: ChunkAnswer = future.result(timeout=LOOK)
                    return answer
            except KilledWorker:
                return None
            except TimeoutError:
                if future.status == "error":
                    raise
                self._threads()

    def _rows(self, sent: _Sent, answer: ChunkAnswer) -> bytes | None:
        """The bytes that a worker has made; None when they are not in the store any more, or others are."""
        if answer.fault:
            self._note(f"{sent.store}: a worker cannot write its pages there: {answer.fault}; {_BY_DASK}")
        try:
            data = answer.data if answer.data is not None else self._fetched(sent)
        except StorageError as error:
            self._note(f"{sent.store}: {error.message}; {_BY_DASK}")
            return None
        rows = rows_of(data, answer, is_small=bool(self._address)) if data is not None else None
        if rows is None:
            self._note(f"{sent.store}: workers put their pages elsewhere than this machine looks; {_BY_DASK}")
        return rows

    def _fetched(self, sent: _Sent) -> bytes | None:
        """Take what a worker has put into the store, None when it is not there. Raises StorageError."""
        store = store_to(sent.store)
        data = store.get(sent.name)
        try:
            store.remove(sent.name)
        except StorageError as error:
            self._note(f"{store.name}: pages of this build stay in {self._prefix}/: {error.message}")
        return data

    def _threads(self) -> int:
        """The threads of all workers. Raises ClusterFailure when there has been none for too long."""
        with self._connected():
            threads: dict[str, int] = self._client.nthreads()
        number = sum(threads.values())
        now = time.monotonic()
        if number:
            self._threads_seen = now
        elif now - self._threads_seen > self._patience:
            raise without_workers(self._address, self._patience)
        return number

    @contextmanager
    def _connected(self, future: Future[ChunkAnswer] | None = None) -> Iterator[None]:
        """Turn what Dask raises of a lost connection into words; what a task has raised is let through."""
        try:
            yield
        except _LOST as error:
            is_of_task = future is not None and future.status == "error"
            if is_of_task or (future is not None and isinstance(error, TimeoutError)):
                raise
            raise lost(self._address, error) from error

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
