"""The sink that writes a folder; what an earlier build wrote and this one did not is removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from builder.errors import OutputError, StorageError
from builder.output import manifest, place
from builder.output.ledger import Ledger
from builder.output.manifest import MANIFEST
from builder.output.sinks import Files
from builder.output.tree import Tree
from builder.store.walk import CHUNK, Blocked


class FolderOutput:
    """Writes into a folder; unchanged files are left alone, so that their times stay.

    Files that no build wrote are never changed, and nothing outside of the folder is, whatever lies in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder.absolute()
        self._old: frozenset[str] = frozenset()
        self._planned: frozenset[str] = frozenset()
        self._new: set[str] = set()
        self.ledger = Ledger()

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Check the folder, read the earlier build's list and write down what this one is about to do."""
        with _refusing(self.folder):
            self._tree = Tree(place.open_folder(self.folder, site))
        self._old = manifest.read(self._tree, self.folder)
        self._make_way(frozenset(planned))
        self._check(frozenset(planned))
        self._planned = frozenset(planned)
        with _refusing(self.folder):
            self._tree.sweep()
        self._save(MANIFEST, manifest.encode(self._old | self._planned))

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Write one file, unless the very bytes are there already."""
        self._new.add(path)
        self.ledger.wrote(path, key, self._save(path, data))

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Copy one file of the site in pieces, so that a video never lies in memory."""
        self._new.add(path)
        self._refuse_foreign(path)
        with _refusing(self.folder / path):
            written = self._tree.put(path, iter(lambda: source.read(CHUNK), b""))
        self.ledger.wrote(path, key, written)

    def later(self, path: str, make: Callable[[], Files], key: bytes = b"") -> int:
        """Write the files."""
        files = list(make())
        for name, data in files:
            self.write(name, data, key)
        return len(files)

    def has(self, path: str, key: bytes) -> bool:
        """Whether a build wrote the file under this key, and nobody has touched it since."""
        if path not in self._old:
            return False  # whoever removed the list of what builds wrote wants all of it anew
        with _refusing(self.folder / path):
            there = self.ledger.has(path, key, self._tree.look(path))
        if there:
            self._new.add(path)
        return there

    def under(self, key: bytes) -> list[str]:
        """The paths of all that the earlier build wrote under this key."""
        return self.ledger.under(key)

    def finish(self) -> None:
        """Remove what only an earlier build wrote, and folders that are empty by it."""
        self._remove(self._old - self._new)
        self._save(MANIFEST, manifest.encode(self._new))
        self._tree.close()

    def _make_way(self, planned: frozenset[str]) -> None:
        """Remove files of an earlier build where a folder must be now, and the other way round."""
        folders = {folder for path in planned for folder in _folders(path)}
        self._remove(path for path in self._old if path in folders or not planned.isdisjoint(_folders(path)))

    def _check(self, planned: frozenset[str]) -> None:
        """Find out what is in the way, before anything is written."""
        for folder in sorted({path.rpartition("/")[0] for path in planned}):
            with _refusing(self.folder / folder):
                self._tree.check(folder)
        for path in sorted(planned - self._old):
            self._refuse_foreign(path)

    def _refuse_foreign(self, path: str) -> None:
        with _refusing(self.folder / path):
            found = self._tree.look(path)
        if found is None or path in self._old or path in self._planned or path == MANIFEST:
            return
        raise OutputError(
            "is in the way: it does not come from an earlier build",
            path=str(self.folder / path),
            hint="choose another output folder, or move this file away",
        )

    def _save(self, path: str, data: bytes) -> os.stat_result | None:
        with _refusing(self.folder / path):
            if found := self._tree.has(path, data):
                return found
        self._refuse_foreign(path)
        with _refusing(self.folder / path):
            return self._tree.put(path, (data,))

    def _remove(self, paths: Iterable[str]) -> None:
        for path in sorted(paths, reverse=True):
            with _refusing(self.folder / path):
                self._tree.remove(path)


class _refusing:
    """Turns what the file system says no with into an error that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        """Nothing to open."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Translate OSError and Blocked; let everything else through."""
        if isinstance(error, Blocked):
            raise OutputError(
                f"cannot be written: `{error.name}` in the output folder is {error.kind}",
                path=str(self.path),
                hint="remove it, or choose another output folder",
            ) from error
        if isinstance(error, OSError):
            raise StorageError(
                f"cannot be written: {error.strerror or error}",
                path=str(self.path),
                hint="check free space and permissions, then build again",
            ) from error


def _folders(path: str) -> Iterator[str]:
    """The folders above a file."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))
