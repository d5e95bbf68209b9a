"""The files below the output folder, each reached name by name from its descriptor: no link is followed.

A file is written under a hidden name of its own in `_tp`, made with O_EXCL, and renamed into its place: what
somebody has put there, a link to a file elsewhere, is replaced and never written through.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from builder.store import staging, walk
from builder.theme import FOLDER


class Tree:
    """Owns `root`, the descriptor of the output folder, and closes it at the latest when it is let go of.

    Paths are relative with forward slashes. Every method raises OSError, or Blocked when something that is
    no folder stands where one of the path's folders should be.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._known: set[tuple[str, ...]] = set()
        self.close = weakref.finalize(self, os.close, root)

    def check(self, folder: str) -> None:
        """Walk to a folder as far as there is one, to find out whether something is in the way."""
        try:
            with walk.folder(self._root, folder.split("/") if folder else ()):
                return
        except FileNotFoundError:
            return

    def look(self, path: str) -> os.stat_result | None:
        """What stands at a path, itself not followed if it is a link; None when nothing does."""
        *parts, name = path.split("/")
        try:
            with walk.folder(self._root, parts) as folder:
                return walk.look(folder, name)
        except FileNotFoundError:
            return None

    def read(self, path: str, limit: int) -> bytes:
        """All bytes of a regular file. Raises FileNotFoundError, Blocked too, or TooLarge above `limit`."""
        *parts, name = path.split("/")
        with walk.folder(self._root, parts) as folder:
            return walk.read_file(folder, name, limit)[0]

    def has(self, path: str, data: bytes) -> os.stat_result | None:
        """The regular file with these very bytes that stands at a path, None when there is no such file."""
        *parts, name = path.split("/")
        try:
            with walk.folder(self._root, parts) as folder:
                found = walk.look(folder, name)
                if found is None or not stat.S_ISREG(found.st_mode) or found.st_size != len(data):
                    return None
                there, found = walk.read_file(folder, name, len(data))
                return found if there == data else None
        except (FileNotFoundError, walk.TooLarge):
            return None  # there is no such folder, or the file has changed since it was looked at

    def put(self, path: str, pieces: Iterable[bytes]) -> os.stat_result | None:
        """Write a file, or replace what stands there; gives the file, unless it is another one by now."""
        *parts, name = path.split("/")
        with self._made((FOLDER,)) as own, self._made(parts) as folder:
            temporary, written = _write(own, pieces)
            try:
                os.rename(temporary, name, src_dir_fd=own, dst_dir_fd=folder)
            except BaseException:
                os.unlink(temporary, dir_fd=own)
                raise
            found = walk.look(folder, name)
            return found if found and found.st_ino == written.st_ino else None

    def remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty by it; nothing else that stands there."""
        *parts, name = path.split("/")
        try:
            with walk.folder(self._root, parts) as folder:
                found = walk.look(folder, name)
                if found is not None and not stat.S_ISDIR(found.st_mode):
                    os.unlink(name, dir_fd=folder)
        except (FileNotFoundError, walk.Blocked):
            return  # its folder is gone, or somebody's own thing stands there
        self._remove_empty(parts)

    def sweep(self) -> None:
        """Remove what a build that was ended had not yet put into its place."""
        try:
            with walk.folder(self._root, (FOLDER,)) as own:
                with os.scandir(own) as entries:
                    left = [entry.name for entry in entries if staging.is_temporary(entry.name)]
                for name in left:
                    os.unlink(name, dir_fd=own)
        except FileNotFoundError:
            return

    def _remove_empty(self, parts: Sequence[str]) -> None:
        for depth in range(len(parts) - 1, -1, -1):
            try:
                with walk.folder(self._root, parts[:depth]) as parent:
                    os.rmdir(parts[depth], dir_fd=parent)
            except (OSError, walk.Blocked):
                return  # not empty: something else lives there, and so do its parents

    def _made(self, parts: Sequence[str]) -> AbstractContextManager[int]:
        """The descriptor of a folder, which is made if it is not there."""
        key = tuple(parts)
        if key not in self._known:
            make(self._root, parts)
            self._known.add(key)
        return walk.folder(self._root, parts)


def make(root: int, parts: Sequence[str]) -> None:
    """Make the folders that are missing below `root`. Raises Blocked or OSError."""
    for depth, part in enumerate(parts):
        with walk.folder(root, parts[:depth]) as parent:
            if walk.actual(parent, part) is None:
                os.mkdir(part, dir_fd=parent)


def _write(own: int, pieces: Iterable[bytes]) -> tuple[str, os.stat_result]:
    """Write a new file with a hidden name into the folder `own`; gives the name and the file."""
    name = staging.new_name()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o666, dir_fd=own), "wb") as file:  # noqa: PTH123 - a descriptor
        try:
            file.writelines(pieces)
        except BaseException:
            os.unlink(name, dir_fd=own)
            raise
        return name, os.fstat(file.fileno())
