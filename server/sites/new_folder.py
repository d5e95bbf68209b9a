"""A folder that is there with all of its files, or not at all.

It is written under a hidden name beside its place, and renamed when all of it is on the disk. While it is
written, it is locked; so the next import beside it can tell what a crash has left, and remove it.

A layer below `read_archive`: it knows no archive.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from builder.errors import PathConflict, StorageError
from builder.store import walk
from builder.store.failures import writing
from builder.store.temp_files import write_all
from server.process.disk import sync_folder
from server.sites import locked_folder
from server.sites.entry_paths import Parts

_PREFIX = ".tp-import-"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NewFolder:
    """The folder while it is written; `root` is its descriptor."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._made: set[Parts] = {()}

    def write(self, parts: Parts, chunks: Iterable[bytes]) -> int:
        """Write a new file, make the folders that it needs, and give its size. Raises OSError or Blocked."""
        self._make(parts[:-1])
        size = 0
        with walk.folder(self._root, parts[:-1]) as folder:
            descriptor = os.open(parts[-1], _NEW, 0o666, dir_fd=folder)
            try:
                for chunk in chunks:
                    write_all(descriptor, chunk)
                    size += len(chunk)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return size

    def sync(self) -> None:
        """Wait until all names are on the disk. Raises OSError."""
        for parts in self._made:
            with walk.folder(self._root, parts) as folder:
                os.fsync(folder)

    def _make(self, parts: Parts) -> None:
        for depth in range(1, len(parts) + 1):
            if parts[:depth] not in self._made:
                with walk.folder(self._root, parts[: depth - 1]) as parent:
                    os.mkdir(parts[depth - 1], dir_fd=parent)
                self._made.add(parts[:depth])


@contextmanager
def new_folder(folder: Path) -> Iterator[NewFolder]:
    """Write a folder that is not there yet, or is empty; it appears when the block ends without an error.

    Raises StorageError or PathConflict.
    """
    _check_free(folder)
    with writing(folder.name):
        locked_folder.sweep(locked_folder.with_prefix(folder.parent, _PREFIX))
        hidden, root = locked_folder.make_locked(folder.parent, _PREFIX)
        try:
            new = NewFolder(root)
            yield new
            new.sync()
            try:
                hidden.rename(folder)
            except OSError as error:
                if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                    raise _taken(folder) from None
                raise
            sync_folder(folder.parent)
        except GivenUp:
            raise
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            raise
        finally:
            os.close(root)


class GivenUp(StorageError):
    """The work on a folder ends in haste: the next one removes what it has left, which may take long."""


def _check_free(folder: Path) -> None:
    with writing(folder.name), suppress(FileNotFoundError):
        if folder.is_symlink() or any(folder.iterdir()):
            raise _taken(folder)


def _taken(folder: Path) -> PathConflict:
    return PathConflict("there is something in the folder", path=folder.name, hint="import into a new folder")
