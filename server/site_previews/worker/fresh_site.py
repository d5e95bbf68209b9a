"""The site as it lies on the disk when somebody asks, built as far as what is asked for needs.

One thread builds. Each request has the folder looked at; those that come during a look share the next one.
Whatever takes too long ends the process: the system does that, since nothing else interrupts everything.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import BinaryIO, TypeVar

from builder.plan.options import Options
from builder.preview import DraftPage, UnsavedText
from builder.report import Problem
from builder.store import FRESH, ContentStore, FileState, state_of
from server.preview.next_state import NextState
from server.preview.snapshot import Made, Snapshot
from server.site_previews.worker_order import WorkerOrder

T = TypeVar("T")
_OTHERS = frozenset({".git", ".twinpress"})
"""Folders with nothing of what is shown."""


class NotShown(Exception):
    """Nothing of the site can be shown; the problem says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _FolderState:
    """The state of the folder at `root` at the last look, by a look at every file; none is opened.

    It takes a small part of the time of reading the site again, and misses nothing, whoever has changed it:
    the dashboard, the API, another process, a restored backup.
    """

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._last = b""

    def has_changed(self) -> bool:
        """Return whether it may be another: what is very young may change again without its times telling."""
        now, youngest, digest = time.time_ns(), 0, hashlib.blake2b(digest_size=16)
        for name, state in _files(self._root):
            digest.update(f"{name}\0{state}\0".encode(errors="surrogateescape"))
            youngest = max(youngest, state.youngest)
        found = digest.digest()
        changed = found != self._last
        self._last = found if now - youngest > FRESH else b""
        return changed

    def forget(self) -> None:
        """Take it for another at the next look."""
        self._last = b""


class _OpenFolder:
    """The files of the folder that is at `root` now. From any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = Lock()
        self._store: ContentStore | None = None
        self._identity: tuple[int, int] | None = None

    def follow(self) -> None:
        """Open the folder, unless it is the one that is open. Raises TwinpressError."""
        with self._lock:
            identity = self._now()
            if self._store is not None and identity != self._identity:
                self._store.close()
                self._store = None
            if self._store is None:
                self._store, self._identity = ContentStore(self._root), identity

    def open(self, file: str) -> BinaryIO:
        """Open a file for reading. Raises FileNotFoundError and StorageError."""
        with self._lock:
            if self._store is None:
                raise FileNotFoundError(file)
            return self._store.open_file(file)

    def _now(self) -> tuple[int, int] | None:
        try:
            found = self._root.stat()
        except OSError:
            return None  # opening it says why
        return found.st_dev, found.st_ino


class FreshSite:
    """The site of an order. `bases` are the base paths that it has had, the present one last."""

    def __init__(self, order: WorkerOrder) -> None:
        self.bases: list[str] = []
        self.closed = False
        self._order = order
        self._root = Path(order.root)
        # Nothing of the owner's runs: neither templates and scripts of a theme nor git.
        self._options = Options(plan=order.plan, drafts=True, trusted=False)
        self._folder = _FolderState(self._root)
        self._thread = ThreadPoolExecutor(1, "twinpress-build")
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[Snapshot] | None = None
        self._course: NextState | None = None
        self._files = _OpenFolder(self._root)
        self._snapshot = Snapshot()

    async def now(self) -> Snapshot:
        """The state of the site, with everything that was saved before this was asked.

        Raises NotShown and TwinpressError.
        """
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._look())
        return await asyncio.shield(self._next)

    async def draft(self, unsaved: UnsavedText) -> DraftPage:
        """Render a page from a text that is not saved. Raises as `now` does."""
        await self.now()
        course = self._followed()
        return await asyncio.wrap_future(
            self._submit(self._order.page_seconds, lambda: course.draft(unsaved))
        )

    def open_file(self, file: str) -> BinaryIO:
        """Open a file that is copied. Raises StorageError and FileNotFoundError."""
        return self._files.open(file)

    async def _look(self) -> Snapshot:
        async with self._turn:
            self._next = None  # who asks from now on may have saved something that this look does not see
            first = self._course is None
            seconds = self._order.first_seconds if first else self._order.page_seconds
            return await asyncio.wrap_future(self._submit(seconds, self._renewed))

    def _renewed(self) -> Snapshot:
        """The state, made anew where the folder is another; in the thread that builds."""
        if not self._folder.has_changed() and self._course is not None:
            return self._snapshot
        try:
            self._snapshot = self._read()
        except BaseException:
            self._folder.forget()
            self._course = None
            raise
        base = self._snapshot.base
        self.bases = [*(each for each in self.bases if each != base), base]
        return self._snapshot

    def _read(self) -> Snapshot:
        """Read the site, also where another folder stands in its place. Raises NotShown."""
        self._files.follow()
        if self._course is not None:
            self._course.follow(frozenset(), ())
            followed = self._course.snapshot()
            if not followed.stale:
                return followed
        # What cannot be followed is shown as a first look shows it, and not as it was before.
        self._course = NextState(self._root, self._options, self._ask, lambda: False)
        self._course.begin()
        begun = self._course.snapshot()
        if not begun.paths:
            raise NotShown(begun.problems[0])
        return begun

    def _ask(self, output: str) -> Future[Made]:
        """Have the file at an output path made."""
        course = self._followed()
        whole = course.needs_all(output) and course.pending
        seconds = self._order.first_seconds if whole else self._order.page_seconds
        return self._submit(seconds, lambda: course.get(output))

    def _followed(self) -> NextState:
        assert self._course is not None  # noqa: S101 - nobody asks for a file before the first state
        return self._course

    def _submit(self, seconds: float, act: Callable[[], T]) -> Future[T]:
        """Do this in the thread that builds, which may take so long."""

        def limited() -> T:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                return act()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)

        return self._thread.submit(limited)


def _files(root: str) -> Iterator[tuple[str, FileState]]:
    """All files and folders by name; what goes during the look is not there."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            yield folder, state_of(os.lstat(folder))
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                folders += [] if entry.name in _OTHERS else [entry.path]
            else:
                yield from _file(entry)


def _file(entry: os.DirEntry[str]) -> Iterator[tuple[str, FileState]]:
    try:
        yield entry.path, state_of(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return
