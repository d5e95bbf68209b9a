"""Read the pages of a large site in several processes, beside a preview that answers meanwhile.

A process cannot be forked from one with threads, so these come from the server of forks, as those that render
do. Each is given some pages at a time, and sends what it has read as bytes; what it cannot send, who asked
reads itself. They have less right to a processor than what somebody waits for.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from builder.errors import TwinpressError
from builder.preview.page_maker import Unfinished
from builder.site import Memory
from builder.store import ContentStore, PageFile
from builder.store.source_reader import SourceReader
from builder.workers.parallel_reader import packed, unpacked
from builder.workers.process import Process

MANY = 250
"""Pages that are read at a time."""
LOOK = 0.2
"""Seconds after which it is asked again whether anybody still wants the pages."""
NICE = 10
"""How much less right to a processor these processes have."""

_Files = Sequence[PageFile]


class PageReaders:
    """Reads pages into a memory with so many processes, for as long as `is_wanted`."""

    def __init__(self, number: int, is_wanted: Callable[[], bool]) -> None:
        self._number = number
        self._is_wanted = is_wanted

    def __call__(self, store: SourceReader, files: _Files, memory: Memory) -> None:
        """Read pages that the memory does not know as they are now, as far as that goes.

        Raises Unfinished when nobody wants them any more.
        """
        number = min(self._number, len(files) // MANY)
        readers = [Process("twinpress-read", serve_pages, is_forked=True) for _ in range(number)]
        try:
            with suppress(OSError, EOFError):  # too many processes: then they are read where they are needed
                self._read([_begun(each, store.root, packs=memory.packs) for each in readers], files, memory)
        finally:
            for each in readers:
                each.end()
        if not self._is_wanted():
            raise Unfinished

    def _read(self, pipes: Sequence[Connection], files: _Files, memory: Memory) -> None:
        parts = (files[start : start + MANY] for start in range(0, len(files), MANY))
        asked = [pipe for pipe in pipes if _ask(pipe, parts)]
        while asked and self._is_wanted():
            for pipe in _ready(asked):
                memory.known.update(unpacked(pipe.recv_bytes()))
                if not _ask(pipe, parts):
                    asked.remove(pipe)


def _begun(process: Process, root: Path, *, packs: bool) -> Connection:
    pipe = process.pipe()
    pipe.send((root, packs))
    return pipe


def _ask(pipe: Connection, parts: Iterator[_Files]) -> bool:
    """Ask for the next pages, if there are any."""
    part = next(parts, ())
    if part:
        pipe.send(part)
    return bool(part)


def _ready(pipes: Sequence[Connection]) -> list[Connection]:
    return [pipe for pipe in wait(pipes, LOOK) if isinstance(pipe, Connection)]


def serve_pages(pipe: Connection) -> None:
    """Read pages until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    os.nice(NICE)
    with suppress(EOFError, ConnectionError, TwinpressError):  # the parent is gone, or the site
        root, packs = pipe.recv()
        with ContentStore(root) as store:
            while True:
                pipe.send_bytes(_pages(store, pipe.recv(), Memory(root, packs=packs)))


def _pages(store: SourceReader, files: _Files, memory: Memory) -> bytes:
    for file in files:
        memory.read(store, file)
    return b"".join(packed(file.path, memory) for file in files)
