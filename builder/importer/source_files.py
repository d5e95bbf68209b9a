"""The files that a `SourceTree` reads, wherever they are: in a folder, or listed by an archive or by git.

Ways are names from the root. Kinds are those of `builder.store.walk.kind_of`: "a file", "a folder", and what
is neither, which nobody opens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from builder.errors import TwinpressError
from builder.store import walk

FILE, FOLDER, LINK = "a file", "a folder", "a symbolic link"
MOST_FILES = 200_000
"""Files that are looked at: the largest documentation trees have some 20,000."""
_LONGEST_WAY = 4096

Way = Sequence[str]


class NoSource(TwinpressError):
    """There is nothing that can be imported."""


class SourceFiles(Protocol):
    """Files below one root. Not safe to use from several threads."""

    def open(self) -> None:
        """Begin to read. Raises NoSource."""

    def close(self) -> None:
        """Let go of what `open` holds."""

    def entries(self, way: Way) -> Sequence[tuple[str, str]]:
        """Return the names in a folder with their kinds, sorted. Raises OSError and Blocked."""

    def kind(self, way: Way) -> str:
        """Return the kind of what is at the end of a way, "" for nothing. Raises OSError and Blocked."""

    def read(self, way: Way, most: int) -> bytes:
        """Return the bytes of a file. Raises OSError and Blocked, and TooLarge above `most`."""


class FolderFiles:
    """The files of a folder on the disk, opened one name at a time, so that no symbolic link is followed.

    The folder at the end of the way `without` is passed over: what is written is not read.
    """

    def __init__(self, root: Path, without: Way = ()) -> None:
        self._root = root
        self._without = tuple(without)
        self._descriptor = -1

    def open(self) -> None:
        """Open the folder. Raises NoSource."""
        try:
            self._descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            hint = "name the folder with the configuration of the site"
            raise NoSource(f"cannot be read: {error.strerror}", path=str(self._root), hint=hint) from None

    def close(self) -> None:
        """Close the folder."""
        os.close(self._descriptor)

    def entries(self, way: Way) -> Sequence[tuple[str, str]]:
        """Return the names in a folder with their kinds, sorted."""
        with walk.folder(self._descriptor, way) as folder, os.scandir(folder) as entries:
            return sorted(
                (each.name, walk.kind_of(each.stat(follow_symlinks=False).st_mode))
                for each in entries
                if (*way, each.name) != self._without
            )

    def kind(self, way: Way) -> str:
        """Return the kind of what is at the end of a way, "" for nothing."""
        if not way:
            return FOLDER
        with walk.folder(self._descriptor, way[:-1]) as folder:
            found = walk.look(folder, way[-1])
        return walk.kind_of(found.st_mode) if found is not None else ""

    def read(self, way: Way, most: int) -> bytes:
        """Return the bytes of a file."""
        with walk.folder(self._descriptor, way[:-1]) as folder:
            return walk.read_file(folder, way[-1], most)[0]


class ListedFile(Struct, frozen=True):
    """A file as a list has it: its kind, its size in bytes, and how it is read."""

    kind: str
    size: int
    read: Callable[[], bytes]


class ListedFiles:
    """Files that somebody has listed by their paths; `begin` and `end` surround the reading of them."""

    def __init__(
        self, begin: Callable[[], Iterable[tuple[str, ListedFile]]], end: Callable[[], None]
    ) -> None:
        self._begin, self._end = begin, end
        self._folders: dict[tuple[str, ...], dict[str, ListedFile | None]] = {(): {}}

    def open(self) -> None:
        """Take the list. Raises NoSource where it has too many files."""
        for number, (path, file) in enumerate(self._begin()):
            if number >= MOST_FILES:
                hint = "import from a folder that has the documentation alone"
                raise NoSource(f"there are more than {MOST_FILES:,} files", hint=hint)
            self._add(path, file)

    def close(self) -> None:
        """End the reading."""
        self._end()

    def _add(self, path: str, file: ListedFile) -> None:
        """Add a file; the first one of a name stays, and what cannot be a path is passed over."""
        way = tuple(walk.nfc(part) for part in path.split("/") if part not in {"", "."})
        if not way or ".." in way or "\0" in path or len(path) > _LONGEST_WAY:
            return
        for depth in range(len(way) - 1):
            inner = self._folders[way[:depth]].setdefault(way[depth], None)
            if inner is not None:
                return
            self._folders.setdefault(way[: depth + 1], {})
        self._folders[way[:-1]].setdefault(way[-1], file)

    def entries(self, way: Way) -> Sequence[tuple[str, str]]:
        """Return the names in a folder with their kinds, sorted."""
        found = self._folders.get(tuple(map(walk.nfc, way)))
        if found is None:
            raise FileNotFoundError
        return sorted((name, file.kind if file else FOLDER) for name, file in found.items())

    def kind(self, way: Way) -> str:
        """Return the kind of what is at the end of a way, "" for nothing."""
        if not way:
            return FOLDER
        inner: Mapping[str, ListedFile | None] = self._folders.get(tuple(map(walk.nfc, way[:-1])), {})
        name = walk.nfc(way[-1])
        file = inner.get(name)
        return file.kind if file is not None else FOLDER if name in inner else ""

    def read(self, way: Way, most: int) -> bytes:
        """Return the bytes of a file."""
        file = self._folders.get(tuple(map(walk.nfc, way[:-1])), {}).get(walk.nfc(way[-1]))
        if file is None:
            raise FileNotFoundError
        if file.kind != FILE:
            raise walk.Blocked(way[-1], file.kind)
        if file.size > most:
            raise walk.TooLarge
        return file.read()
