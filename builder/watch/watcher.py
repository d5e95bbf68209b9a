"""Waits until files that a site is made of have changed.

Each folder of the sources is watched by itself, and those that links lead to are not: the store does not
follow links, and a link may lead to all of the disk.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Protocol

from watchfiles import Change

# Documented for direct use; watches from its creation on.
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from builder.errors import TwinpressError
from builder.watch.git_lock import Checkout
from builder.watch.sources import FOLDERS, entries, folders_of, inode, is_source

SETTLE = 5
"""Milliseconds without a change after which a save is complete: an editor's save is several changes."""
FEW = 3
"""Files that may have been saved one by one; when more have changed, a program is at work."""
SETTLE_UNSEEN = 25
"""The same while nobody looks: who looks for changes this often wakes the processor up less."""
SETTLE_MANY = 80
"""Milliseconds without a change after which that has ended: it may have to wait for the disk meanwhile."""
LONGEST_BATCH = 400
LONGEST_MANY = 3000
"""Milliseconds after which a batch is given although changes go on; the second when there are many."""
ASK = 1000
"""Milliseconds after which it is asked again whether somebody looks."""
POLL = 300


class Flag(Protocol):
    """An event of any kind."""

    def is_set(self) -> bool:
        """Whether it has happened."""


class Watcher:
    """Watches from its creation on, so that nothing saved during a build is missed.

    `seen` says whether somebody waits to see changes. Making one raises TwinpressError when the system has no
    room for another watch.
    """

    def __init__(self, root: Path, seen: Callable[[], bool] = lambda: True) -> None:
        self._seen = seen
        self._root = str(root.resolve())
        self._prefix = f"{self._root.rstrip('/')}/"
        self._folders: dict[str, int] = {}
        self._checkout = Checkout(root)
        self._entries: frozenset[tuple[str, int, int, int]] | None = None
        self._notify = self._watching([])
        self._watch()

    def __enter__(self) -> Watcher:
        """Already watching."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching."""
        self._notify.close()

    def wait(self, stop: Flag) -> frozenset[str]:
        """Block until sources have changed; their paths relative to the site, empty when `stop` is set.

        Where it cannot be told what has changed, the folders are given in which that may be. Raises
        TwinpressError as making one does.
        """
        while not stop.is_set():
            try:
                settle = SETTLE if self._seen() else SETTLE_UNSEEN
                found = self._notify.watch(LONGEST_BATCH, settle, ASK, stop)
            except WatchfilesRustInternalError:
                # A name that is no UTF-8, which every further call would stumble over again.
                self._watch()
                if self._has_changed():
                    return frozenset(FOLDERS)
                continue  # somebody has but looked into a folder of such a name: a build does
            if isinstance(found, str):
                continue  # "stop", "signal" or "timeout"
            if changed := self._sources(found):
                return self._with_others(changed, stop)
        return frozenset()

    def _with_others(self, changed: frozenset[str], stop: Flag) -> frozenset[str]:
        """All that changes together: a switch of branches is one change, a save is not kept waiting."""
        until = time.monotonic() + LONGEST_MANY / 1000
        while self._checkout.is_under_way or (len(changed) > FEW and time.monotonic() < until):
            try:
                found = self._notify.watch(LONGEST_BATCH, SETTLE, SETTLE_MANY, stop)
            except WatchfilesRustInternalError:
                self._watch()
                return changed.union(FOLDERS)
            if found == "timeout" and self._checkout.is_under_way:
                continue
            if isinstance(found, str):
                break
            changed |= self._sources(found)
        return changed

    def _sources(self, found: Iterable[tuple[int, str]]) -> frozenset[str]:
        """The paths relative to the site of what belongs to its sources."""
        changed = [(kind, name, path) for kind, name in found if (path := self._source(name))]
        for kind, name, _ in changed:
            if kind != Change.modified:
                self._folders.pop(name, None)  # what stands there now may have the same inode
        if any(self._is_new(name) for _, name, _ in changed):
            self._watch()
        return frozenset(path for _, _, path in changed)

    def _has_changed(self) -> bool:
        """Whether any file or folder is another than when this was asked last."""
        before, self._entries = self._entries, frozenset(entries(self._folders))
        return before != self._entries

    def _source(self, name: str) -> str:
        """The path relative to the site if it belongs to its sources, else an empty string."""
        below = name.removeprefix(self._prefix)
        return below if below != name and is_source(tuple(below.split("/"))) else ""

    def _is_new(self, name: str) -> bool:
        """Whether this is a folder that is not watched yet."""
        number = inode(name)
        return number is not None and self._folders.get(name) != number

    def _watch(self) -> None:
        """Watch all folders that there are now. What changes meanwhile must be looked at by the caller."""
        self._notify.close()
        while True:
            self._folders = dict(folders_of(self._root))
            self._notify = self._watching(list(self._folders))
            if self._folders == dict(folders_of(self._root)):
                return
            self._notify.close()  # one was made or removed in between

    def _watching(self, folders: list[str]) -> RustNotify:
        try:
            return RustNotify(folders, False, _polling(), POLL, False, True)
        except OSError as error:
            raise TwinpressError(
                f"changes cannot be watched for: {error}",
                path=self._root,
                hint="raise fs.inotify.max_user_watches, or set WATCHFILES_FORCE_POLLING=1",
            ) from None


def _polling() -> bool:
    """Whether to look for changes instead of being told: asked for, or on a system that does not tell."""
    asked = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    if asked:
        return asked not in {"false", "disable", "disabled"}
    return "microsoft-standard" in platform.release().lower()
