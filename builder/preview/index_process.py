"""A process that makes the index of the search of a large site, so that its memory goes with it.

It is sent the parts of all pages in their order, some at a time, and answers with the files of their
sections; asked for the rest it answers with all other files, one after the other, and at last with what the
index is.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection

import msgspec
from msgspec import Struct

from builder import search
from builder.compression import QUICK, compressed
from builder.preview.packed_content import opened_part
from builder.search import Arranged, Begun, File, Gathering, Part
from builder.workers.process import Process
from builder.workers.processors import COLLECT

AT_ONCE = 400
"""Parts that are sent at a time."""


class Order(Struct, frozen=True):
    """The beginning: how many parts will come, and the name of what cuts excerpts from twins."""

    parts: int
    script: str


class MadeIndex(Struct, frozen=True):
    """The end: what an index knows beside the keys of its pages."""

    counts: tuple[int, ...]
    docs: tuple[str, ...]
    twins: tuple[str, ...]
    arranged: Arranged
    used: dict[str, int]


Message = MadeIndex | list[File]
"""The answers: files are compressed."""


def files_of(order: Order, parts: Iterable[bytes]) -> Generator[File, None, MadeIndex]:
    """Yield each file, compressed, and return what the index is. Raises EOFError and OSError."""
    process = Process("twinpress-search", serve_index, is_forked=True)
    with closing(_Ended(process)):
        pipe = process.pipe()
        pipe.send(order)
        for batch in _batches(parts):
            pipe.send_bytes(msgspec.msgpack.encode(batch))
            yield from _files(pipe.recv())
        pipe.send_bytes(b"")
        while not isinstance(message := pipe.recv(), MadeIndex):
            yield from _files(message)
        return message


class _Ended:
    """Ends a process when it is closed."""

    def __init__(self, process: Process) -> None:
        self.close = process.end


def _batches(parts: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for part in parts:
        batch.append(part)
        if len(batch) == AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _files(message: Message) -> Sequence[File]:
    assert isinstance(message, list)  # noqa: S101 - the index comes last
    return message


def serve_index(pipe: Connection) -> None:
    """Make one index."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    gc.set_threshold(COLLECT)
    with suppress(EOFError, ConnectionError):  # the parent is gone
        order: Order = pipe.recv()
        making = _Making(order)
        while data := pipe.recv_bytes():
            parts = map(opened_part, msgspec.msgpack.decode(data, type=list[bytes]))
            pipe.send(small(file for part in parts if part for file in making.take(part)))
        pipe.send(small(making.rest()))
        begun = making.begun()
        arranged = _send_finished(pipe, begun, order.script)
        gathering = begun.gathering
        pipe.send(MadeIndex(tuple(gathering.counts), begun.docs, begun.twins, arranged, dict(gathering.used)))


def _send_finished(pipe: Connection, begun: Begun, script: str) -> Arranged:
    files = search.finish(begun, script)
    while True:
        try:
            pipe.send(small([next(files)]))
        except StopIteration as end:
            arranged: Arranged = end.value
            return arranged


def small(files: Iterable[File]) -> list[File]:
    """Compress files."""
    return [(name, compressed(data, QUICK)) for name, data in files]


class _Making:
    """The parts as they come."""

    def __init__(self, order: Order) -> None:
        self._script = order.script
        self._together = search.pages_a_file(order.parts)
        self._gathering = Gathering(prunes=True)
        self._waiting: list[Part] = []
        self._docs: list[str] = []
        self._twins: list[str] = []

    def take(self, part: Part) -> Iterator[File]:
        """Add the next part; yields the file that is complete by it."""
        self._gathering.add(part)
        self._waiting.append(part)
        if len(self._waiting) == self._together:
            yield from self.rest()

    def rest(self) -> Iterator[File]:
        """Yield the file of what waits."""
        if not self._waiting:
            return
        digest, file = search.doc(len(self._docs), self._waiting)
        twin = "".join(search.twins_of(self._waiting, self._script)) if self._together == 1 else ""
        self._docs.append(digest)
        self._twins.append(twin)
        self._waiting = []
        if not twin:
            yield file

    def begun(self) -> Begun:
        """The done part of the index, when all parts have come."""
        return Begun(self._gathering, tuple(self._docs), tuple(self._twins) if any(self._twins) else ())
