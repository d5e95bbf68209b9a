"""The two lists of files that builds wrote into a folder, so that the next one touches nothing else.

The manifest lies in that folder and can come with it from anybody. The record lies in the person's own folder
for state, and tells what may be removed. One record is about the folder at one path, and about its inode: a
folder that has been put into the place of another is none that we wrote into.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from builder import user_folders
from builder.errors import OutputError
from builder.output.file_tree import Tree
from builder.store.walk import Blocked, TooLarge
from builder.theme import FOLDER

MANIFEST = f"{FOLDER}/manifest.json"
MAX_BYTES = 64 * 1024 * 1024
"""The list of a site with half a million pages."""


class Manifest(msgspec.Struct):
    """While a build runs, `files` is what the earlier one wrote and what this one is about to write."""

    files: list[str]


def read(tree: Tree, folder: Path) -> frozenset[str]:
    """Return the files that the earlier build wrote into `folder`, open as `tree`.

    Raises OutputError for a broken list.
    """
    try:
        manifest = msgspec.json.decode(tree.read(MANIFEST, MAX_BYTES), type=Manifest)
    except FileNotFoundError:
        return frozenset()
    except TooLarge:
        raise _unreadable(folder, "it is too large") from None
    except Blocked as blocked:
        raise _unreadable(folder, f"`{blocked.name}` is {blocked.kind}") from None
    except OSError as error:
        raise _unreadable(folder, error.strerror or str(error)) from None
    except msgspec.DecodeError as error:
        raise _unreadable(folder, str(error)) from None
    return frozenset(path for path in manifest.files if _inside(path))


def encode(files: Iterable[str]) -> bytes:
    """The manifest as bytes, the same for the same files."""
    return msgspec.json.encode(Manifest(sorted(files)))


def _unreadable(folder: Path, why: str) -> OutputError:
    return OutputError(
        f"the list of files of the earlier build cannot be read: {why}",
        path=str(folder / MANIFEST),
        hint="delete the output folder and build again",
    )


def _inside(path: str) -> bool:
    """Return whether a manifest's path stays in the folder: the file may have been tampered with."""
    way = f"/{path}/"
    return not ("//" in way or "/./" in way or "/../" in way or "\\" in way)


RECORDS = "outputs"
GONE = 30 * 86_400.0
"""Seconds for which the record of a folder is kept that is not there: it may be on a disk that is away."""


class _Head(Struct, frozen=True):
    """The first line, which tells what a record is about."""

    folder: str
    inode: int


class Record:
    """The record of the output folder at `folder`, which is the one with this inode.

    `fault` says why it cannot be kept, if it cannot: then nothing may be removed by the next build. `is_open`
    tells that a build has begun and not ended, so that there may be files of it that it could not write down.
    """

    def __init__(self, folder: Path, inode: int) -> None:
        self.fault = ""
        self.is_open = False
        self._head = _Head(os.path.realpath(folder), inode)
        self._files: frozenset[str] = frozenset()
        try:
            self._path = user_folders.state() / RECORDS / user_folders.file_name(self._head.folder)
            self._files = self._read()
            self.is_open = self._mark.exists()
        except OSError as error:
            self._note(error)

    @property
    def files(self) -> frozenset[str]:
        """The paths of files that builds have written, or were about to write."""
        return self._files

    def begin(self, files: Collection[str]) -> None:
        """Write down the paths that a build is about to write, and that it has begun."""
        try:
            self._keep(files)
            if not self.fault:
                user_folders.make(self._mark.parent)
                self._mark.touch(user_folders.FILE)
        except OSError as error:
            self._note(error)

    def finish(self, files: Collection[str]) -> None:
        """Write down the paths that it has written, and that it has ended."""
        try:
            self._keep(files)
            if not self.fault:
                self._mark.unlink(missing_ok=True)
        except OSError as error:
            self._note(error)

    @property
    def _mark(self) -> Path:
        return self._path.with_suffix(".open")

    def _keep(self, files: Collection[str]) -> None:
        """Write paths down, unless the record has them already."""
        if self.fault or self._files == frozenset(files):
            return
        is_new = not self._path.exists()
        lines = msgspec.json.encode(self._head), msgspec.json.encode(sorted(files))
        user_folders.keep(self._path, b"\n".join(lines))
        self._files = frozenset(files)
        if is_new:
            _forget(self._path.parent)

    def _read(self) -> frozenset[str]:
        """Read the list on the disk; it is empty when it is about another folder, or damaged."""
        try:
            with self._path.open("rb") as file:
                head, _, files = file.read(MAX_BYTES).partition(b"\n")
            if msgspec.json.decode(head, type=_Head) == self._head:
                return frozenset(msgspec.json.decode(files, type=list[str]))
        except (FileNotFoundError, msgspec.DecodeError):
            pass  # whatever is in the folder is left there, which is told
        return frozenset()

    def _note(self, error: OSError) -> None:
        self.fault = f"{error.filename or 'no folder for it'}: {error.strerror or error}"


def _forget(folder: Path) -> None:
    """Delete the records of folders that have been gone for long."""
    for path in _others(folder):
        with suppress(OSError, msgspec.DecodeError), path.open("rb") as file:
            head = msgspec.json.decode(file.readline(), type=_Head)
            if not os.path.isdir(head.folder):  # noqa: PTH112 - as it is kept
                path.unlink()
                path.with_suffix(".open").unlink(missing_ok=True)


def _others(folder: Path) -> Iterator[Path]:
    """Records that no build has written for so long."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < time.time() - GONE:
                yield Path(entry.path)
