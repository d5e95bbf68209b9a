"""A worker for processes that this one has not begun, on this machine or on another one.

All that it renders with travels as bytes. On another machine nothing of the site's folder is there: files are
given back, not written, and a page that includes a file which was not sent is given up.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

import themes
from builder.render import RenderedPage
from builder.theme import Folders
from builder.workers.page_job import Job
from builder.workers.page_worker import Packed, Worker, received, send
from builder.workers.processors import COLLECT
from builder.workers.sent_parts import SentParts, sent_parts


class RenderedChunk(Struct, frozen=True):
    """The pages of some jobs in order, as bytes.

    By their numbers among the jobs, `whole` are those that no bytes can be made of. They are missing in
    `rows`, and so are those that were given up.
    """

    rows: bytes
    whole: dict[int, RenderedPage] = field(default_factory=dict)


def pack_worker(worker: Worker, *, is_here: bool) -> bytes:
    """Return a worker as bytes; it `is_here` when it is to work on this very machine."""
    if is_here:
        return pickle.dumps(worker, pickle.HIGHEST_PROTOCOL)
    shared, context = worker.shared, worker.shared.context
    context = replace(context, parts=sent_parts(context.parts))
    return pickle.dumps(Worker(replace(shared, context=context)), pickle.HIGHEST_PROTOCOL)


def unpack_worker(data: bytes) -> Worker:
    """Return the worker again; the default theme is that of this machine."""
    worker: Worker = pickle.loads(data)  # noqa: S301 - of whoever tells this process what to run
    folders = worker.shared.theme_folders
    here = Folders(themes.default(), folders.own, folders.state)
    return replace(worker, shared=replace(worker.shared, theme_folders=here))


def render_chunk(worker: Worker, jobs: Sequence[Job]) -> RenderedChunk:
    """Render the pages of some jobs, in one thread at a time. Raises what the theme and the writer raise."""
    rows: list[Packed | None] = []
    whole: dict[int, RenderedPage] = {}
    with _few_collections():
        for number, job in enumerate(jobs):
            page = _page(worker, job)
            sent = send(job, page) if page else None
            rows.append(sent if isinstance(sent, Packed) else None)
            if isinstance(sent, RenderedPage):
                whole[number] = sent
    return RenderedChunk(msgspec.msgpack.encode(rows), whole)


def received_chunk(jobs: Sequence[Job], chunk: RenderedChunk, worker: Worker) -> Iterator[RenderedPage]:
    """Yield the pages of some jobs; those that were given up are rendered by this `worker`."""
    for number, (job, packed) in enumerate(zip(jobs, _ROWS.decode(chunk.rows), strict=True)):
        if packed is not None:
            yield from received([job], [packed], worker.shared.pointer)
        else:
            yield chunk.whole.get(number) or worker.do(job)


_ROWS = msgspec.msgpack.Decoder(list[Packed | None])


def _page(worker: Worker, job: Job) -> RenderedPage | None:
    """Render a page; None for one that includes a file which is not here."""
    parts = worker.shared.context.parts
    if not isinstance(parts, SentParts):
        return worker.do(job)
    parts.is_wanting = False
    page = worker.do(job)
    return None if parts.is_wanting else page


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for circles among objects seldom, as other processes that render do."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*before)
