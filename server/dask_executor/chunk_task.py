"""Tasks for the workers of a cluster: tell the engine, and render a chunk of pages.

A worker keeps nothing that is needed: whatever it had is sent again when it dies.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

from msgspec import Struct

from builder.cache.fingerprint import fingerprint
from builder.compression import compressed, decompressed
from builder.errors import StorageError, TwinpressError
from builder.render import RenderedPage
from builder.version import VERSION
from builder.workers.page_job import Job
from builder.workers.page_worker import Worker
from builder.workers.remote_worker import RenderedChunk, render_chunk, unpack_worker
from server.dask_executor.failures import other_engine
from server.shared_caches.open_cache import store_to

_DIGEST = 32
"""Bytes."""
_MOST_BYTES = 1024 * 1024 * 1024
"""Of a chunk: what has the digest that a worker has told is its own."""


class ChunkOrder(Struct, frozen=True):
    """Pages to render: their `jobs` as bytes, and the `engine` that must do it.

    What is made goes into the store at the address `store` under a `name`; it comes back without a store.
    It `is_small` where it has a network to pass.
    """

    jobs: bytes
    engine: str
    store: str = ""
    name: str = ""
    is_small: bool = False


class ChunkAnswer(Struct, frozen=True):
    """The digest of the bytes that were made, and the bytes where they are in no store; `fault` says why not.

    `whole` is that of RenderedChunk.
    """

    digest: bytes
    data: bytes | None
    whole: dict[int, RenderedPage]
    fault: str = ""


def engine() -> str:
    """Return what renders here, in words; the same words are the same engine."""
    python, processor = platform.python_version(), platform.machine()
    return f"Twinpress {VERSION} (engine {fingerprint().hex()}, Python {python}, {processor})"


def hold(data: bytes) -> bytes:
    """Return what all chunks need, so that workers have it from each other, and again when all have died."""
    return data


def render(order: ChunkOrder, worker: bytes, address: str = "") -> ChunkAnswer:
    """Render a chunk of pages. Raises OtherEngine, and what the theme and the writer raise."""
    if order.engine != engine():
        raise other_engine(address or _own_address(), engine(), order.engine)
    jobs: Sequence[Job] = pickle.loads(order.jobs)  # noqa: S301 - of whoever tells this process what to run
    with _ONE:
        return _answer(order, render_chunk(_unpacked(worker), jobs))


def rows_of(data: bytes, answer: ChunkAnswer, *, is_small: bool) -> bytes | None:
    """Return the rows that a worker has made, of the bytes that are said to be them; None for others."""
    if digest(data) != answer.digest:
        return None
    return decompressed(data, _MOST_BYTES) if is_small else data


def digest(data: bytes) -> bytes:
    """Return what tells these bytes from any others."""
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _answer(order: ChunkOrder, chunk: RenderedChunk) -> ChunkAnswer:
    data = compressed(chunk.rows) if order.is_small else chunk.rows
    fault = _stored(order, data) if order.store else ""
    inline = data if fault or not order.store else None
    return ChunkAnswer(digest(data), inline, chunk.whole, fault)


def _stored(order: ChunkOrder, data: bytes) -> str:
    """Put bytes into the store, and return why that cannot be done, if it cannot."""
    try:
        store_to(order.store).put(order.name, data)
    except StorageError as error:
        return error.message
    except TwinpressError as error:
        return str(error)
    return ""


_ONE = Lock()
"""Held while a chunk is rendered: a worker may have several threads, but what renders is for one."""


@lru_cache(maxsize=1)
def _unpacked(data: bytes) -> Worker:
    return unpack_worker(data)


def _own_address() -> str:
    from distributed import get_worker  # noqa: PLC0415 - only a worker of a cluster has it

    return str(get_worker().address)
