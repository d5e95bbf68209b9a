"""Former bytes of files beside pages: bounded, so that uploads cannot fill the disk.

They lie one by one, as git has loose objects, each named by its id: `ab/cdef...`. So the oldest can go while
the history still says that there was such a version. Of `site.yml` and pages, which people write, none goes.
"""

from __future__ import annotations

import os
import secrets
import time
import zlib
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from pathlib import Path

from dulwich.objects import Blob
from msgspec import Struct

from builder.errors import TwinpressError
from builder.store.limits import FILE_LIMIT
from builder.store.temp_files import write_all
from server.process.disk import sync_folder

MIB = 1024 * 1024
SMALL = MIB
"""Bytes up to which a file's versions are kept in the history; those of larger ones are in the trash."""
KEPT_BYTES = 256 * MIB
"""Of versions of files in the history of a site."""
TRASH_BYTES, TRASH_SECONDS = 256 * MIB, 7 * 24 * 3600
"""Of larger files that were replaced or deleted, and how long they stay."""
TRASH = "trash"
_BLOCK = 4096
"""Bytes that the smallest file takes."""
_DRAFT = "tmp_obj_"
_HEX = frozenset("0123456789abcdef")


class VersionGone(TwinpressError):
    """The bytes of a file at that time are not kept any more, or were too large from the beginning."""

    def __init__(self, file: str) -> None:
        most = f"within {KEPT_BYTES // MIB} MB a site"
        hint = f"versions of files up to {SMALL // MIB} MB are kept {most}, those of larger ones for a week"
        super().__init__("the bytes that it had then are not kept any more", path=file, hint=hint)


class _Version(Struct, frozen=True, order=True):
    """One that is kept, by the time at which it was replaced."""

    time: float
    id: str
    size: int


class FileVersions:
    """Those in `folder`, of `most` bytes together and for so many `seconds`."""

    def __init__(self, folder: Path, most: int, seconds: float = float("inf")) -> None:
        self._folder = folder
        self._most = most
        self._seconds = seconds
        self._total: int | None = None
        self._unsynced: set[Path] = set()

    def add(self, data: bytes) -> str:
        """Keep bytes that are replaced now, durably after `flush`; gives their id. Raises OSError."""
        id = Blob.from_string(data).id.decode()
        path = self._path(id)
        if self.read(id) is None:
            self._write(path, data, sync=True)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())  # it may have come by `offer`
            os.utime(path)
        self._unsynced |= {path.parent, self._folder}
        return id

    def offer(self, data: bytes) -> str:
        """Keep bytes that the site has, too, while half of the room is free; gives their id."""
        id = Blob.from_string(data).id.decode()
        path = self._path(id)
        if self._all_bytes() + max(len(data), _BLOCK) <= self._most // 2 and not path.exists():
            self._write(path, data, sync=False)
        return id

    def flush(self) -> None:
        """Make what was added durable."""
        for folder in sorted(self._unsynced):
            sync_folder(folder)
        self._unsynced.clear()

    def read(self, id: str) -> bytes | None:
        """The bytes of this id; None where they are not kept, or did not survive a power cut."""
        path = self._path(id)
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(file, "rb") as opened:
            data = _unpacked(opened.read())
        if data is not None and Blob.from_string(data).id.decode() == id:
            return data
        path.unlink(missing_ok=True)
        return None

    def has(self, id: str) -> bool:
        """Return whether the bytes of this id are kept."""
        return self._path(id).is_file()

    def trim(self, present: Callable[[], Container[str]]) -> None:
        """Remove what is too old, and of too much the oldest: first what is `present` in the site, too."""
        found = sorted(self._found())
        since = time.time() - self._seconds
        self._total = sum(each.size for each in found)
        old = [each for each in found if each.time < since]
        rest = found[len(old) :]
        if self._total - sum(each.size for each in old) > self._most:
            still = present()
            old += sorted(rest, key=lambda each: each.id not in still)
        for each in old:
            if each.time >= since and self._total <= self._most:
                break
            self._path(each.id).unlink(missing_ok=True)
            self._total -= each.size

    def sweep(self) -> None:
        """Remove what a killed process has left half written."""
        for left in self._folder.glob(f"??/{_DRAFT}*"):
            left.unlink(missing_ok=True)

    def _path(self, id: str) -> Path:
        return self._folder / id[:2] / id[2:]

    def _all_bytes(self) -> int:
        if self._total is None:
            self._total = sum(each.size for each in self._found())
        return self._total

    def _write(self, path: Path, data: bytes, *, sync: bool) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{_DRAFT}{secrets.token_hex(8)}")
        packed = zlib.compress(b"blob %d\0" % len(data) + data, 1 if len(data) <= SMALL else 0)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(draft, flags, 0o600)
        try:
            write_all(file, packed)
            if sync:
                os.fsync(file)
            draft.rename(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        finally:
            os.close(file)
        self._total = self._all_bytes() + max(len(packed), _BLOCK)

    def _found(self) -> Iterator[_Version]:
        with suppress(FileNotFoundError):
            for folder in self._folder.iterdir():
                if len(folder.name) == 2 and _HEX.issuperset(folder.name):
                    yield from _within(folder)


def _within(folder: Path) -> Iterator[_Version]:
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                if not entry.name.startswith(_DRAFT):
                    about = entry.stat(follow_symlinks=False)
                    yield _Version(about.st_mtime, folder.name + entry.name, max(about.st_size, _BLOCK))


def _unpacked(packed: bytes) -> bytes | None:
    unpack = zlib.decompressobj()
    try:
        whole = unpack.decompress(packed, FILE_LIMIT + _BLOCK)
    except zlib.error:
        return None
    head, _, data = whole.partition(b"\0")
    return data if unpack.eof and head == b"blob %d" % len(data) else None
