"""Make the folders that a page needs, remove those that it leaves empty, sweep what was interrupted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from builder.errors import PathConflict
from builder.store import walk
from builder.store.names import COMPONENTS, PLACES, other_folder
from builder.store.scan import MAX_FOLDERS
from builder.store.temp_files import is_temporary


class Way(Struct, frozen=True):
    """The folders to a page as they are on disk; the first `existing` of them were there before."""

    parts: tuple[str, ...]
    existing: int

    def file(self, name: str) -> str:
        """A file in the last one, from the site's folder."""
        return "/".join((*self.parts, name))

    @property
    def made(self) -> tuple[str, ...]:
        """The folders that were not there before, outermost first."""
        return self._down_to(self.existing + 1)

    @property
    def emptied(self) -> tuple[str, ...]:
        """The folders that a removal may leave empty, innermost first; never the outermost."""
        return self._down_to(2)[::-1]

    def _down_to(self, depth: int) -> tuple[str, ...]:
        return tuple("/".join(self.parts[:end]) for end in range(depth, len(self.parts) + 1))


def spelled(root: int, parts: Sequence[str]) -> Way:
    """The folders, which must be there, by their names on disk. Raises FileNotFoundError or Blocked."""
    return Way(tuple(walk.spelled(root, parts)), len(parts))


def find(root: int, parts: Sequence[str]) -> Way:
    """The folders as they are, or would be once those that are missing are made.

    Raises PathConflict when there is a folder of another spelling, Blocked, or OSError.
    """
    if all(map(str.isascii, parts)):  # there is but one spelling
        with suppress(FileNotFoundError), walk.folder(root, parts):
            return Way(tuple(parts), len(parts))
    way: list[str] = []
    for part in parts:
        with walk.folder(root, way) as parent:
            name = walk.actual(parent, part)
            # The site's own folder is not searched: its names are fixed.
            other = other_folder(parent, part) if way and name is None else None
        if other is not None:
            raise _spelled(way, part, other)
        if name is None:
            return Way((*way, *parts[len(way) :]), len(way))
        way.append(name)
    with walk.folder(root, way):  # Blocked when the last one is no folder
        return Way(tuple(way), len(way))


def make(root: int, parts: Sequence[str]) -> Way:
    """Find the folders, and make those that are missing. Raises as `find` does."""
    way = find(root, parts)
    for depth in range(way.existing, len(way.parts)):
        with walk.folder(root, way.parts[:depth]) as parent:
            _mkdir(parent, way.parts[depth])
    return way


def remove_empty(root: int, parts: Sequence[str], keep: int = 1) -> None:
    """Remove a folder and those above it as far as they are empty, but never the first `keep` of them.

    Never fails: the change itself is done, and an empty folder that stays does no harm.
    """
    for depth in range(len(parts), keep, -1):
        try:
            with walk.folder(root, parts[: depth - 1]) as parent:
                name = parts[depth - 1]
                os.rmdir(walk.actual(parent, name) or name, dir_fd=parent)
                walk.forget()
                os.fsync(parent)
        except FileNotFoundError:
            continue
        except (OSError, walk.Blocked):
            return


def sweep(root: int) -> None:
    """Remove the hidden files that interrupted changes have left; the lock must be held."""
    _sweep(root, MAX_FOLDERS)  # beside `site.yml`
    for name in (*PLACES, COMPONENTS):
        try:
            with walk.folder(root, (name,)) as folder:
                _sweep(folder, 0)
        except (FileNotFoundError, walk.Blocked):
            continue


def _sweep(folder: int, depth: int) -> None:
    inner: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.name)
            elif is_temporary(entry.name):
                os.unlink(entry.name, dir_fd=folder)
    for name in inner if depth < MAX_FOLDERS else ():
        try:
            descriptor = walk.open_folder(folder, name)
        except (OSError, walk.Blocked):
            continue  # what cannot be entered was never written to
        try:
            _sweep(descriptor, depth + 1)
        finally:
            os.close(descriptor)


def _mkdir(parent: int, name: str) -> None:
    os.mkdir(name, dir_fd=parent)
    if os.geteuid() == 0:
        owner = os.fstat(parent)
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=parent, follow_symlinks=False)
    os.fsync(parent)


def _spelled(way: Sequence[str], part: str, other: str) -> PathConflict:
    return PathConflict(
        f"the folder `{'/'.join((*way, other))}` differs from it only in case",
        path="/".join((*way, part)),
        hint=f"write `{other}`",
    )
