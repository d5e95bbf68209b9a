"""Make pages of a large site in several processes, some at a time, when nobody waits for them.

The thread that asks goes on meanwhile, and takes what is made when it comes to it. A process that takes far
longer than pages should, or ends by itself, leaves its pages to what makes them one by one, and can tell why.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from msgspec import Struct

from builder.markdown.context import Context
from builder.preview.packed_content import compressed_row
from builder.preview.render_process import limit
from builder.render import CachedPage
from builder.render.render_page import make
from builder.site import SitePage
from builder.workers.process import Process
from builder.workers.processors import COLLECT

MANY = 12
"""Pages that a process is given at a time."""
PATIENCE = 20.0
"""Seconds for these, on a machine that has other things to do."""
NICE = 10
"""How much less right to a processor these processes have than what somebody waits for."""

Row = CachedPage | None


class MadePage(Struct, frozen=True):
    """A page that was made with a context, as its compressed values."""

    page: SitePage
    context: Context
    row: CachedPage


class _Member:
    """One process, and what it was asked for."""

    def __init__(self) -> None:
        self.process = Process("twinpress-check", serve_crew, is_forked=True)
        self.pipe: Connection | None = None
        self.told: Context | None = None
        self.pages: Sequence[SitePage] = ()
        self.since = 0.0

    def ask(self, pages: Sequence[SitePage], context: Context, packed: bytes) -> None:
        """Have these pages made; `packed` is the context. Raises OSError."""
        pipe = self.process.pipe()
        if pipe is not self.pipe:
            self.pipe, self.told = pipe, None
        if self.told is not context:
            pipe.send_bytes(packed)
            self.told = context
        pipe.send_bytes(pickle.dumps(pages))
        self.pages, self.since = pages, time.monotonic()

    def received(self) -> Iterator[tuple[SitePage, Row]]:
        """The pages, now that they have come. Raises EOFError and OSError."""
        assert self.pipe is not None  # noqa: S101 - it was asked
        rows: Sequence[Row] = pickle.loads(self.pipe.recv_bytes())  # noqa: S301 - of a process of our own
        pages, self.pages = self.pages, ()
        return zip(pages, rows, strict=True)

    def end(self) -> None:
        """End the process, whatever it is at."""
        self.process.end()
        self.pipe, self.pages = None, ()


class PageCrew:
    """So many processes, which are begun when they are needed; for one thread.

    `left` are the content paths of pages that it does not make.
    """

    def __init__(self, number: int) -> None:
        self.left: set[str] = set()
        self._members = [_Member() for _ in range(number)]
        self._packed: tuple[Context | None, bytes] = None, b""

    @property
    def most(self) -> int:
        """The number of pages that it may have at a time, and be given then."""
        return 2 * MANY * len(self._members)

    @property
    def wanted(self) -> int:
        """The number of pages that it can be given now."""
        return sum(MANY for each in self._members if not each.pages)

    @property
    def paths(self) -> frozenset[str]:
        """The content paths of pages that are being made."""
        return frozenset(page.path for each in self._members for page in each.pages)

    def ask(self, pages: Sequence[SitePage], context: Context) -> None:
        """Have pages made, of which there are no more than are wanted."""
        parts = (pages[start : start + MANY] for start in range(0, len(pages), MANY))
        for member, part in zip([each for each in self._members if not each.pages], parts, strict=False):
            try:
                member.ask(part, context, self._pickled(context))
            except OSError:
                self._lose(member, part)

    def made(self, seconds: float) -> Iterator[MadePage]:
        """The pages that are made within so many seconds, or those that were made first."""
        busy = {each.pipe: each for each in self._members if each.pages}
        for pipe in wait([pipe for pipe in busy if pipe], max(0.0, seconds)):
            yield from self._taken(next(each for each in busy.values() if each.pipe is pipe))
        for each in self._members:
            if each.pages and time.monotonic() - each.since > PATIENCE:
                self._lose(each, each.pages)

    def close(self) -> None:
        """End all processes; they are begun again when pages are asked for."""
        for each in self._members:
            each.end()
        self._packed = None, b""
        self.left.clear()

    def _taken(self, member: _Member) -> Iterator[MadePage]:
        context = member.told
        try:
            received = member.received()
        except (EOFError, OSError):
            self._lose(member, member.pages)
            return
        for page, row in received:
            if row is None or context is None:
                self.left.add(page.path)
            else:
                yield MadePage(page, context, row)

    def _lose(self, member: _Member, pages: Sequence[SitePage]) -> None:
        self.left.update(page.path for page in pages)
        member.end()

    def _pickled(self, context: Context) -> bytes:
        """The context as bytes: that of a large site is large, and the same for all."""
        if self._packed[0] is not context:
            self._packed = context, pickle.dumps(context)
        return self._packed[1]


def serve_crew(pipe: Connection) -> None:
    """Make pages until the parent is gone, or takes much longer than it waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    os.nice(NICE)
    gc.set_threshold(COLLECT)
    context: Context | None = None
    with suppress(EOFError, ConnectionError):  # the parent is gone
        while True:
            asked = pickle.loads(pipe.recv_bytes())  # noqa: S301 - of our own parent
            if isinstance(asked, Context):
                context = asked
                continue
            assert context is not None  # noqa: S101 - it is sent first
            limit(2 * PATIENCE)
            rows = [_row(page, context) for page in asked]
            limit(0)
            pipe.send_bytes(pickle.dumps(rows))


def _row(page: SitePage, context: Context) -> Row:
    try:
        return compressed_row(make(page, context))
    except Exception:  # noqa: BLE001 - it is made once more where a fault of ours is told
        return None
