"""The default store of objects: a folder, in which each object is a file that is never changed.

A file appears whole under its name, by renaming. `sync` has the file system write all of itself to the disk
at once: thousands of single files take minutes one by one. An object that may be replaced is replaced under a
lock, which the system lets go when its holder is killed.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from builder.store import failures
from server.process.disk import sync_folder
from server.releases.object_store import ReplacedMeanwhile, Stored

_OWN_FOLDER, _OWN_FILE = 0o700, 0o600
_LOCK = ".lock"
_BESIDE = ".new"
"""The folder of files that are not there yet; no key has a part like it."""
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW


class FolderStore:
    """Objects below `folder`, which is made when the first one is put."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = set[Path]()

    def read(self, key: str) -> Stored | None:
        """Return the object under this key, None where there is none."""
        with failures.reading(key):
            try:
                descriptor = os.open(self._file(key), _FLAGS)
            except FileNotFoundError:
                return None
            with os.fdopen(descriptor, "rb") as file:
                return Stored(file.read(), _version(os.fstat(descriptor)))

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """Return a part of an object; fewer bytes where it ends before. Raises FileNotFoundError."""
        with failures.reading(key), os.fdopen(os.open(self._file(key), _FLAGS), "rb") as file:
            return os.pread(file.fileno(), length, start)

    def read_ranges(self, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """Return parts of objects, each by key, start and length. Raises FileNotFoundError."""
        return [self.read_range(*place) for place in places]

    def version(self, key: str) -> str:
        """Return the version of the object under this key, "" where there is none: one call of the system."""
        with failures.reading(key):
            try:
                return _version(self._file(key).stat(follow_symlinks=False))
            except FileNotFoundError:
                return ""

    def has(self, key: str) -> bool:
        """Return whether there is an object under this key."""
        return bool(self.version(key))

    def present(self, keys: Collection[str]) -> set[str]:
        """Return those of the keys under which there is an object."""
        return {key for key in keys if self.has(key)}

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key."""
        self._make(self._file(key).parent)
        with failures.writing(key), self._beside() as beside:
            _write(beside, data)
            os.rename(beside, self._file(key))  # noqa: PTH104 - half as long as Path's, thousands of times

    def take(self, key: str, file: Path) -> None:
        """Give a file of the same disk the key as its name."""
        place = self._file(key)
        with failures.writing(key):
            self._make(place.parent)
            os.rename(file, place)  # noqa: PTH104 - half as long as Path's, thousands of times

    def sync(self) -> None:
        """Have the file system write all that it has to the disk."""
        with failures.writing(str(self._folder)):
            self._make(self._folder)
            descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _sync_all(descriptor)
            finally:
                os.close(descriptor)

    def replace(self, key: str, data: bytes, before: str) -> str:
        """Put the object in the place of its version `before`; return its own, which is lasting."""
        place = self._file(key)
        with failures.writing(key), self._locked(place.parent), self._beside() as beside:
            if self.version(key) != before:
                raise ReplacedMeanwhile("somebody else has changed it meanwhile", path=key, hint="try again")
            _write(beside, data, sync=True)
            # While both are there their inodes differ, so that the versions do, too.
            beside.rename(place)
            sync_folder(place.parent)
            return _version(place.stat())

    def keys(self, folder: str) -> Iterator[str]:
        """Yield the keys of all objects below a folder, in no order."""
        with failures.reading(folder):
            for place, folders, files in os.walk(self._folder / folder):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                inner = Path(place).relative_to(self._folder).as_posix()
                beside = "" if inner == "." else f"{inner}/"
                yield from [f"{beside}{name}" for name in files if not name.startswith(".")]

    def settled_keys(self, folder: str) -> Iterator[str]:
        """Yield the keys of all objects below a folder: who publishes holds the lock of the site."""
        return self.keys(folder)

    def delete(self, *keys: str) -> None:
        """Delete objects, as far as they are there, and folders that are empty then."""
        for key in keys:
            with failures.writing(key):
                self._file(key).unlink(missing_ok=True)
        for folder in {self._file(key).parent for key in keys} - {self._folder}:
            with suppress(OSError):  # it has others
                folder.rmdir()
                self._made.discard(folder)

    def forget_unfinished(self, age: float) -> None:
        """Delete what was being written `age` seconds ago or longer: all of it is in one folder."""
        oldest = time.time() - age
        with failures.writing(str(self._folder / _BESIDE)), suppress(FileNotFoundError):
            for found in (self._folder / _BESIDE).iterdir():
                with suppress(FileNotFoundError):
                    if found.stat(follow_symlinks=False).st_mtime <= oldest:
                        found.unlink()

    def _file(self, key: str) -> Path:
        return self._folder / key

    def _make(self, folder: Path) -> None:
        if folder not in self._made:
            folder.mkdir(_OWN_FOLDER, parents=True, exist_ok=True)
            self._made.add(folder)

    @contextmanager
    def _beside(self) -> Iterator[Path]:
        """A name on the same disk, for a file that is to take the place of an object."""
        self._make(self._folder / _BESIDE)
        beside = self._folder / _BESIDE / secrets.token_hex(8)
        try:
            yield beside
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise

    @contextmanager
    def _locked(self, folder: Path) -> Iterator[None]:
        self._make(folder)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWN_FILE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _write(file: Path, data: bytes, *, sync: bool = False) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWN_FILE)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
        if sync:
            opened.flush()
            os.fsync(descriptor)


def _version(found: os.stat_result) -> str:
    return f"{found.st_ino:x}-{found.st_size:x}-{found.st_mtime_ns:x}"


def _sync_all(descriptor: int) -> None:
    """Sync the file system of an open file (syncfs of Linux), or all of them where there is no such call."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        os.sync()
    elif call(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
