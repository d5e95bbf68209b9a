"""Page jobs in several processes: the same pages in the same order, however many processes there are.

Linux forks them, which costs next to nothing, unless there are other threads by then (what these hold
would stay held for ever in a fork); everywhere else, and then, they are started anew.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait

from builder.code import lexers as _lexers  # noqa: F401 - loaded once, before there are several processes
from builder.render import RenderedPage
from builder.workers.page_job import Job
from builder.workers.page_worker import Sent, Worker, received, send
from builder.workers.processors import COLLECT, may_fork
from builder.workers.signals import interrupts_blocked

Chunk = Sequence[Job]

LARGEST = 16
"""Pages in a chunk, at most: enough to hide its way to another process."""
AHEAD = 3
"""Chunks that wait for each process. More would fill the memory while results wait to be written."""
RENEWED = 8_000
"""Pages after which processes begin anew: each has its own copy by then of much that it shared at first."""

_LOST = "the process that rendered this page has ended; there may be too little memory"


def render_all(jobs: Sequence[Job], worker: Worker, number: int) -> Iterator[RenderedPage]:
    """Render pages in order, by `number` processes. Raises what rendering and writing a page raise."""
    worker.prepare()
    for first in range(0, len(jobs), RENEWED):
        parts = deque(_parts(first, min(len(jobs), first + RENEWED), number))
        while parts:
            lost = yield from _until_one_is_lost(jobs, parts, worker, number)
            for job in itertools.chain.from_iterable(lost):
                yield _alone(job, worker)


def _parts(first: int, end: int, number: int) -> Iterator[slice]:
    """Part jobs into chunks that become smaller to the end, so that nobody waits long for the last one."""
    while first < end:
        size = max(1, min(LARGEST, (end - first) // (number * AHEAD)))
        yield slice(first, first + size)
        first += size


def _until_one_is_lost(
    jobs: Sequence[Job], parts: deque[slice], worker: Worker, number: int
) -> Generator[RenderedPage, None, list[Chunk]]:
    """Render parts and take them away; returns those that were under way when a process ended by itself."""
    under_way: deque[tuple[Chunk, Future[list[Sent]]]] = deque()
    with _pool(worker, number) as pool:
        try:
            while parts or under_way:
                while parts and len(under_way) < number * AHEAD:
                    chunk = jobs[parts[0]]
                    under_way.append((chunk, _submit(pool, chunk)))
                    parts.popleft()
                chunk, future = under_way[0]
                yield from received(chunk, future.result(), worker.shared.pointer)
                under_way.popleft()
        except BrokenProcessPool:
            return [chunk for chunk, _ in under_way]
    return []


def _submit(pool: ProcessPoolExecutor, chunk: Chunk) -> Future[list[Sent]]:
    """Have a chunk rendered; processes begin now, the first time."""
    with interrupts_blocked():
        return pool.submit(_render, chunk)


def _alone(job: Job, worker: Worker) -> RenderedPage:
    """Render one page in a process of its own; when that ends by itself, this page is the reason."""
    with _pool(worker, 1) as pool:
        try:
            return next(received([job], _submit(pool, [job]).result(), worker.shared.pointer))
        except BrokenProcessPool:
            return worker.lost(job.page, ChildProcessError(_LOST))


@contextmanager
def _pool(worker: Worker, number: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes; at the end of the block what was not begun is dropped, and they end."""
    context = multiprocessing.get_context("fork" if may_fork() else "spawn")
    gc.freeze()  # what is there already stays, so that the processes share its memory
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(number, context, initializer=_begin, initargs=(worker,))
    try:
        yield pool
    except BaseException:
        # Nobody waits for what they are at; and who presses Ctrl+C again must find them gone.
        for process in multiprocessing.active_children():
            if process not in others:
                process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()


_given: list[Worker] = []
"""What renders pages in this process."""


def _begin(worker: Worker) -> None:
    """Prepare a process: its parent alone answers Ctrl+C, and it ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.set_threshold(COLLECT)
    _given[:] = [worker]


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _render(jobs: Chunk) -> list[Sent]:
    return [send(job, _given[0].do(job)) for job in jobs]
