"""Write single files into the output folder, in whichever process: a writer can be sent to another one."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from builder.errors import OutputError, StorageError
from builder.output import sparse_copy
from builder.output.file_tree import Tree
from builder.output.manifest import MANIFEST
from builder.output.open_folders import open_folder
from builder.output.written_files import Left, content_digest
from builder.store import state_of
from builder.store.walk import Blocked

SMALL = 1 << 20
"""Bytes of a file that is copied as a page is written: then it is known by its content, too."""


class PageWriter(Protocol):
    """Takes files where they are made."""

    def write(self, path: str, data: bytes) -> Left | None:
        """Take one file and say how it is left, None when that is not known."""

    def write_twice(self, first: str, second: str, data: bytes) -> tuple[Left | None, Left | None]:
        """Take the same file for two places."""


class Nowhere:
    """Takes everything and keeps nothing."""

    def write(self, path: str, data: bytes) -> Left | None:
        """Forget it."""
        return None

    def write_twice(self, first: str, second: str, data: bytes) -> tuple[Left | None, Left | None]:
        """Forget it."""
        return None, None


class Writer:
    """Writes below `folder`, the output folder of `site`. Every method raises OutputError or StorageError.

    `mine` are the paths of what builds wrote and of what this one will: no other file is ever replaced.
    `tree` is the folder, where it is open already.
    """

    def __init__(self, folder: Path, site: Path, mine: Collection[str], tree: Tree | None = None) -> None:
        self._folder = folder
        self._site = site
        self._mine = mine
        self._tree = tree or open_tree(folder, site)

    def __reduce__(self) -> tuple[type[Writer], tuple[Path, Path, Collection[str]]]:
        """Another process opens the folder anew."""
        return Writer, (self._folder, self._site, self._mine)

    def write(self, path: str, data: bytes, before: Left | None = None) -> Left | None:
        """Write one file, unless the very bytes are there already; gives how it is left.

        When it is as it was left `before`, what stands there is not even read.
        """
        content = content_digest(data)
        with refusing(self._folder, path):
            found = self._tree.look(path)
            if before is not None and found is not None and before == (state_of(found), content):
                return before
            if found is not None and self._tree.is_same(path, found, data):
                return Left(state_of(found), content)
            if found is None or self._is_mine(path):
                written = self._tree.put(path, data, is_new=found is None)
                return Left(state_of(written), content) if written else None
        raise self._in_the_way(path)

    def write_twice(self, first: str, second: str, data: bytes) -> tuple[Left | None, Left | None]:
        """Write the same bytes to two places; one that is new is a second name of the other file.

        Making a file takes ten times as long as giving it another name.
        """
        left = self.write(first, data)
        with refusing(self._folder, second):
            linked = self._tree.link(first, second, left.state[0]) if left else None
        if left is None or linked is None:
            return left, self.write(second, data)
        both = Left(state_of(linked), left.content)
        return both, both

    def copy(self, path: str, source: BinaryIO) -> Left | None:
        """Copy one file: a video never lies in memory, and holes stay holes."""
        if os.fstat(source.fileno()).st_size <= SMALL:
            return self.write(path, source.read())
        self.refuse_foreign(path)
        with refusing(self._folder, path):
            written = self._tree.replace(path, partial(sparse_copy.copy, source.fileno()))
        return Left(state_of(written)) if written else None

    def refuse_foreign(self, path: str) -> None:
        """Raise OutputError when a file that no build wrote stands at a path."""
        with refusing(self._folder, path):
            found = self._tree.look(path)
        if found is not None and not self._is_mine(path):
            raise self._in_the_way(path)

    def _is_mine(self, path: str) -> bool:
        return path in self._mine or path == MANIFEST

    def _in_the_way(self, path: str) -> OutputError:
        return OutputError(
            "is in the way: it does not come from an earlier build",
            path=str(self._folder / path),
            hint="choose another output folder, or move this file away",
        )


def open_tree(folder: Path, site: Path) -> Tree:
    """Open the output folder of a site. Raises OutputError and StorageError."""
    with refusing(folder):
        return Tree(open_folder(folder, site))


class refusing:
    """Turns what the file system says no with into an error that names the file."""

    def __init__(self, folder: Path, path: str = "") -> None:
        self._folder = folder
        self._path = path

    def __enter__(self) -> None:
        """Nothing to open."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Translate OSError and Blocked; let everything else through."""
        if isinstance(error, Blocked):
            raise OutputError(
                f"cannot be written: `{error.name}` in the output folder is {error.kind}",
                path=str(self._folder / self._path),
                hint="remove it, or choose another output folder",
            ) from error
        if isinstance(error, OSError):
            raise StorageError(
                f"cannot be written: {error.strerror or error}",
                path=str(self._folder / self._path),
                hint="check free space and permissions, then build again",
            ) from error
