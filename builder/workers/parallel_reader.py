"""Read sources in several processes: a site of many pages is known in part of the time.

Each child reads a part of the pages, and sends what it has read as bytes; whatever it cannot send, or does
not come to, its parent reads itself. Meanwhile the parent loads what renders: what is there before there are
several processes, all of them have; else each would load it for itself.

Apart from the build for its other processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import BinaryIO

import msgspec
from msgspec import Struct

from builder.site import Memory, Remembered
from builder.store import PageFile
from builder.store.source_reader import SourceReader
from builder.workers.child import child
from builder.workers.processors import may_fork

WORTH = 150
"""Pages for each process, at least."""
LOADING = 600
"""Pages that are read in the time that it takes to load and make ready what renders."""

_RENDERING, _LEXERS = "builder.workers.pool", "builder.code.lexers"
"""What loads all that renders, and what is made ready of it for the languages of pages."""
_READ = msgspec.msgpack.Decoder(tuple[str, Remembered])


class Reader(Struct, frozen=True):
    """Reads pages into a memory, with as many processes as `number` when there are pages for them.

    With `loads` what renders is loaded meanwhile, as these pages are new; else another machine may have them.
    """

    number: int
    loads: bool = True

    def __call__(self, store: SourceReader, files: Sequence[PageFile], memory: Memory) -> None:
        """Read pages that the memory does not know as they are now."""
        number = min(self.number, len(files) // WORTH)
        if number < 2 or not may_fork():
            return
        own, *others = _parts(files, number, LOADING if self.loads else 0)
        children = [child(partial(_send, store, part, memory)) for part in others]
        try:
            # Here, as what is loaded later each process loads.
            if self.loads:
                import_module(_RENDERING)
            read = (memory.read(store, file).page for file in own)
            if self.loads:
                import_module(_LEXERS).load(page.document.body for page in read if page)
            deque(read, maxlen=0)
        finally:
            for each in filter(None, children):
                memory.known.update(unpacked(each.received()))


def _parts(files: Sequence[PageFile], number: int, less: int) -> Iterator[Sequence[PageFile]]:
    """The part of this process, which has to read so many pages `less` than the others, and their parts."""
    own = max(number, (len(files) + less) // number - less)
    yield files[:own]
    yield from (files[start :: number - 1] for start in range(own, own + number - 1))


def _send(store: SourceReader, files: Sequence[PageFile], memory: Memory, pipe: BinaryIO) -> None:
    """Read these files, and send what was read."""
    memory.shelf = None  # its file is the parent's
    for file in files:
        memory.read(store, file)
    # Only now, as its parent does not take anything before it has read its own part.
    pipe.writelines(packed(file.path, memory) for file in files)


def packed(path: str, memory: Memory) -> bytes:
    """A page with its length before it; nothing when it is not settled, or cannot be sent."""
    known = memory.known.get(path)
    try:
        data = msgspec.msgpack.encode((path, known)) if known else b""
    except (UnicodeEncodeError, OverflowError):
        data = b""
    return len(data).to_bytes(4, "big") + data if data else b""


def unpacked(sent: bytes) -> list[tuple[str, Remembered]]:
    """All pages that were sent whole."""
    data = memoryview(sent)
    found = []
    while len(data) >= 4:
        size = int.from_bytes(data[:4], "big")
        if len(data) < 4 + size:
            break  # the child was ended
        found.append(_READ.decode(data[4 : 4 + size]))
        data = data[4 + size :]
    return found
