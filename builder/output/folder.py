"""The sink that writes a folder; what an earlier build wrote and this one did not is removed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from builder.errors import OutputError, StorageError
from builder.output import manifest


class FolderOutput:
    """Writes into a folder; unchanged files are left alone, so that their times stay."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._old: frozenset[str] = frozenset()
        self._complete = True
        self._new: list[str] = []
        self._made: set[str] = set()

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Check the folder, read the earlier build's manifest and mark this one as running."""
        _check_folder(self.folder, site)
        self._complete, self._old = manifest.read(self.folder)
        for path in planned:
            self._refuse_foreign(path)
        with _storage(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._save(manifest.MANIFEST, manifest.encode(self._old, complete=False))

    def write(self, path: str, data: bytes) -> None:
        """Write one file, unless the very bytes are there already."""
        self._refuse_foreign(path)
        self._new.append(path)
        self._save(path, data)

    def copy(self, path: str, file: str, source: BinaryIO) -> None:
        """Copy one file of the site in pieces, so that a video never lies in memory."""
        self._refuse_foreign(path)
        self._new.append(path)
        with _storage(self.folder / path):
            temporary = self._place(path + ".tp-new")
            with temporary.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            temporary.replace(self.folder / path)

    def finish(self) -> None:
        """Remove what only an earlier build wrote, and folders that are empty by it."""
        keep = frozenset(self._new)
        self._save(manifest.MANIFEST, manifest.encode(keep, complete=True))
        for path in sorted(self._old - keep, reverse=True):
            self._remove(path)

    def _refuse_foreign(self, path: str) -> None:
        if not self._complete or path in self._old or not os.path.lexists(self.folder / path):
            return
        raise OutputError(
            "is in the way: it does not come from an earlier build",
            path=str(self.folder / path),
            hint="choose another output folder, or move this file away",
        )

    def _place(self, path: str) -> Path:
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
            self._made.add(folder)
        return self.folder / path

    def _save(self, path: str, data: bytes) -> None:
        with _storage(self.folder / path):
            target = self._place(path)
            if _same(target, data):
                return
            temporary = target.with_name(target.name + ".tp-new")
            temporary.write_bytes(data)
            temporary.replace(target)

    def _remove(self, path: str) -> None:
        target = self.folder / path
        inside = target.parent.resolve().is_relative_to(self.folder.resolve())
        if not inside or not os.path.lexists(target):
            return
        with _storage(target):
            target.unlink()
        for folder in target.relative_to(self.folder).parents:
            try:
                (self.folder / folder).rmdir()
            except OSError:
                return  # not empty: something else lives there, and so do its parents


class _storage:
    """Turns what the file system says no with into a StorageError that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        """Nothing to open."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Translate an OSError; let everything else through."""
        if isinstance(error, OSError):
            raise StorageError(
                f"cannot be written: {error.strerror or error}",
                path=str(self.path),
                hint="check free space and permissions, then build again",
            ) from error


def _same(target: Path, data: bytes) -> bool:
    try:
        return target.stat().st_size == len(data) and target.read_bytes() == data
    except (FileNotFoundError, IsADirectoryError):
        return False


SOURCES = ("docs", "pages", "static", ".twinpress")


def _check_folder(folder: Path, site: Path) -> None:
    """Refuse a folder in which results would mix with sources."""
    out, root = folder.resolve(), site.resolve()
    if root.is_relative_to(out):
        raise OutputError(
            "the output folder holds the site itself", path=str(folder), hint="choose a folder such as `dist`"
        )
    for name in SOURCES:
        if out.is_relative_to(root / name):
            raise OutputError(
                f"the output folder lies within `{name}`, which is read as source",
                path=str(folder),
                hint="choose a folder such as `dist`",
            )
    if folder.exists() and not folder.is_dir():
        raise OutputError("the output folder is a file", path=str(folder), hint="choose another name")
