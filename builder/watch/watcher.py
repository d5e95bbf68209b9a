"""Wait until files that a site is made of have changed, and git is done with changing them.

Each folder of the sources is watched by itself, and those that links lead to are not: the store does not
follow links, and a link may lead to all of the disk.
"""

from __future__ import annotations

import os
import platform
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from builder.errors import TwinpressError

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
        """Return whether it has happened."""


class Watcher:
    """Watches from its creation on, so that nothing saved during a build is missed.

    `seen` says whether somebody waits to see changes, `included` names files elsewhere that pages include, by
    their way from the site's folder. Making one raises TwinpressError when the system has no
    room for another watch.
    """

    def __init__(
        self,
        root: Path,
        seen: Callable[[], bool] = lambda: True,
        included: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._seen = seen
        self._included = included
        self._files: dict[str, str] = {}
        self._known: frozenset[str] = frozenset()
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
            self._watch_included()
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
        """Return whether any file or folder is another than when this was asked last."""
        before, self._entries = self._entries, frozenset(entries(self._folders))
        return before != self._entries

    def _source(self, name: str) -> str:
        """The path relative to the site if it belongs to its sources, else an empty string."""
        below = name.removeprefix(self._prefix)
        is_own = below != name and is_source(tuple(below.split("/")))
        return below if is_own else self._files.get(name, "")

    def _watch_included(self) -> None:
        """Watch the folders of files that pages include by now, too."""
        included = self._included()
        if included == self._known:
            return
        self._known = included
        self._files = {os.path.normpath(f"{self._root}/{file}"): file for file in included}
        self._watch()

    def _is_new(self, name: str) -> bool:
        """Return whether this is a folder that is not watched yet."""
        number = inode(name)
        return number is not None and self._folders.get(name) != number

    def _watch(self) -> None:
        """Watch all folders that there are now. What changes meanwhile must be looked at by the caller."""
        self._notify.close()
        while True:
            self._folders = self._all_folders()
            self._notify = self._watching(list(self._folders))
            if self._folders == self._all_folders():
                return
            self._notify.close()  # one was made or removed in between

    def _all_folders(self) -> dict[str, int]:
        others = {os.path.dirname(file) for file in self._files}  # noqa: PTH120 - names, as the system gives them
        found = {folder: number for folder in sorted(others) if (number := inode(folder)) is not None}
        return found | dict(folders_of(self._root))

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
    """Return whether to look for changes by polling: asked for, or the system does not tell of any."""
    asked = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    if asked:
        return asked not in {"false", "disable", "disabled"}
    return "microsoft-standard" in platform.release().lower()


FOLDERS = ("docs", "pages", "static", "theme", "_components")
SOURCES = frozenset({"site.yml", "sidebar.yml", *FOLDERS})
"""What a site is read from; changes elsewhere in its folder (`dist`, `.git`, `.twinpress`) mean nothing."""

# What editors and file managers leave beside the file being edited, for a moment or for good.
_TEMPORARY = re.compile(
    r"""
      .*~                          # Emacs and many more: backups
    | \.\#.* | \#.*\#             # Emacs: locks and auto-saves
    | \..*\.sw[a-z] | 4913         # Vim
    | \.goutputstream-.* | .*\.___jb_(tmp|old|bak)___ | .*\.kate-swp | \..*\.(tmp|part)
    | \.DS_Store | Thumbs\.db
    """,
    re.VERBOSE,
)


def folders_of(root: str) -> Iterator[tuple[str, int]]:
    """The folders to be watched, each with its inode."""
    yield root, 0
    waiting = [f"{root.rstrip('/')}/{name}" for name in FOLDERS]
    while waiting:
        folder = waiting.pop()
        number = inode(folder)
        if number is None:
            continue
        yield folder, number
        with suppress(OSError), os.scandir(folder) as listed:
            waiting += [
                each.path for each in listed if each.is_dir(follow_symlinks=False) and _known(each.name)
            ]


def entries(folders: Iterable[str]) -> Iterator[tuple[str, int, int, int]]:
    """Yield the entries of these folders, with size and times in nanoseconds; opens nothing in them."""
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as listed:
            for entry in listed:
                with suppress(OSError):  # gone since it was listed
                    about = entry.stat(follow_symlinks=False)
                    yield entry.path, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _known(name: str) -> bool:
    """Return whether a folder of this name can be a part of a site, and be watched."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return not _TEMPORARY.fullmatch(name)


def inode(path: str) -> int | None:
    """Return what makes a folder the same folder; None when there is none."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_ino if stat.S_ISDIR(about.st_mode) else None


def is_source(parts: tuple[str, ...]) -> bool:
    """Return whether the path (in parts, relative to the site) is one that a build may read."""
    return bool(parts) and parts[0] in SOURCES and not any(_TEMPORARY.fullmatch(part) for part in parts)


LONGEST = 10.0
"""Seconds after which a lock is one that git has left behind."""
_LOCK = "index.lock"
_POINTER = "gitdir: "
_POINTER_BYTES = 4096


class Checkout:
    """The repository that the folder `root` is in, if it is in one. Nothing in it is changed."""

    def __init__(self, root: Path) -> None:
        here = root.resolve()
        found = (_repository(folder) for folder in (here, *here.parents))
        self._lock = next((folder / _LOCK for folder in found if folder is not None), None)

    @property
    def is_under_way(self) -> bool:
        """True if git has locked the index, which it does for as long as it changes files."""
        if self._lock is None:
            return False
        try:
            # One from the future, as when the clock is put back, says nothing either.
            return abs(time.time() - self._lock.stat().st_mtime) < LONGEST
        except (OSError, ValueError):  # the latter of a way that no system takes
            return False


def _repository(folder: Path) -> Path | None:
    """Return the folder of git's own files for a folder at the top of a work tree."""
    found = folder / ".git"
    try:
        if found.is_dir():
            return found
        # Without O_NONBLOCK, opening a pipe would wait for its writer.
        with open(os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            text = file.read(_POINTER_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return folder / text.removeprefix(_POINTER).strip() if text.startswith(_POINTER) else None
