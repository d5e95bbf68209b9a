"""The sinks of `twinpress publish` and of `check --against`: both keep the list of the site's addresses.

A published release is a folder of its own. A file that the release before has at the same place, with the
same bytes, is given a second name there: ten releases cost the room of one and of what has changed.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from builder.output import Left, NullOutput, sparse_copy
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.site_files import ADDRESSES
from builder.store import failures
from server.releases.live_pointer import HASHED

T = TypeVar("T")

_PIECE = 1024 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class AddressesOutput(NullOutput):
    """Forgets all but the addresses: for a check and for a dry run."""

    def __init__(self) -> None:
        super().__init__()
        self._list = b""

    @property
    def addresses(self) -> Addresses:
        """The addresses of the site, when it is built."""
        return read_addresses(self._list.decode())

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Take one file, and keep it if it is the list."""
        if path == ADDRESSES:
            self._list = data


class LinkingWriter:
    """Writes files below `folder`; those that are the same below `former` get a second name."""

    def __init__(self, folder: Path, former: Path | None) -> None:
        self._folder = folder
        self._former = former

    def write(self, path: str, data: bytes) -> Left | None:
        """Write one file. Raises StorageError."""
        place = self._place(path)
        with failures.writing(str(place)):
            if not self._linked(path, place, len(data), lambda former: _holds(former, data)):
                with os.fdopen(_opened(place), "wb") as file:
                    file.write(data)
        return None

    def write_twice(self, first: str, second: str, data: bytes) -> tuple[Left | None, Left | None]:
        """Write the same bytes to two places: the second is another name of the first, where that can be."""
        self.write(first, data)
        other = self._place(second)
        with failures.writing(str(other)):
            try:
                _link(self._folder / first, other)
            except OSError:
                self.write(second, data)  # which says why it cannot be, if it cannot
        return None, None

    def copy(self, path: str, source: BinaryIO) -> Left | None:
        """Copy one file; a large one never lies in memory. Raises StorageError."""
        place = self._place(path)
        size = os.fstat(source.fileno()).st_size
        with failures.writing(str(place)):
            if not self._linked(path, place, size, lambda former: _same(former, source.fileno())):
                _copy(source.fileno(), place)
        return None

    def _place(self, path: str) -> Path:
        place = self._folder / path
        with failures.writing(str(place)):
            place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _linked(self, path: str, place: Path, size: int, is_same: Callable[[int], bool]) -> bool:
        """Give the former file a second name if it is the same, or share its blocks; False if it is not."""
        if self._former is None:
            return False
        try:
            former = os.open(self._former / path, _READ)
        except OSError:
            return False  # it is none that could be shared
        try:
            if os.fstat(former).st_size != size or not is_same(former):
                return False
            try:
                _link(self._former / path, place)
            except OSError:
                _copy(former, place)  # not every file system has second names, and none has any number
        finally:
            os.close(former)
        return True


class StaticOutput(NullOutput):
    """Writes all files of a build into a new folder, and tells whether they are those of a former one.

    Of former builds it knows nothing: each release is written as a whole.
    """

    def __init__(self, folder: Path, former: Path | None = None, carried: Collection[str] = ()) -> None:
        super().__init__()
        self.keeps = True
        self.writer = self._writer = LinkingWriter(folder, former)
        self.files = 0
        self.made = folder
        self._former = former
        self._carried = frozenset(carried)

    @property
    def addresses(self) -> Addresses:
        """The addresses of the site, when it is built."""
        return read_addresses((self.made / ADDRESSES).read_text("utf-8"))

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Write one file."""
        self.note_written(path, key, self._writer.write(path, data))

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Count a file that the writer has written."""
        self.files += 1

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Copy one file of the site."""
        self.note_written(path, key, self._writer.copy(path, source))

    def read(self, path: str, key: bytes) -> bytes:
        """Return what this build has written at a path; all of it is of this build."""
        try:
            return (self.made / path).read_bytes()
        except OSError:
            return b""

    def count_new(self) -> int:
        """Count the files that the former release has not, or has with other bytes, or has alone."""
        here = _files(self.made)
        before = _files(self._former) if self._former else {}
        before = {path: file for path, file in before.items() if path not in self._carried}
        new = [path for path, file in here.items() if before.get(path) != file]
        return sum(not self._is_copied(path, before) for path in new) + len(before.keys() - here.keys())

    def carry_assets(self) -> list[str]:
        """Take over the styles and scripts of the former release's own, for pages that readers have open.

        They are named by their content. Raises StorageError.
        """
        former = _files(self._former) if self._former else {}
        own = (path for path in former if HASHED.fullmatch(path) and path not in self._carried)
        lost = [path for path in own if not (self.made / path).exists()]
        for path in lost:
            with (self._former or self.made).joinpath(path).open("rb") as file:
                self._writer.copy(path, file)
        return sorted(lost)

    def _is_copied(self, path: str, before: Collection[str]) -> bool:
        """Return whether the former release has the same bytes: not every file system has second names."""
        if self._former is None or path not in before:
            return False
        return filecmp.cmp(self.made / path, self._former / path, shallow=False)


def _holds(descriptor: int, data: bytes) -> bool:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read() == data


def _same(one: int, other: int) -> bool:
    """Return whether two files of one size have the same bytes; the places in both stay where they are."""
    place = 0
    while piece := os.pread(one, _PIECE, place):
        if piece != os.pread(other, len(piece), place):
            return False
        place += len(piece)
    return True


def _opened(place: Path) -> int:
    """Open a new file; what an ended process has left there is not written into."""
    return _unless_there(place, lambda: os.open(place, _NEW, 0o666))


def _link(file: Path, place: Path) -> None:
    """Give a file a second name."""
    _unless_there(place, lambda: os.link(file, place, follow_symlinks=False))


def _unless_there(place: Path, create: Callable[[], T]) -> T:
    """Create a file, after what is at its place: that may be a second name of a file of the release before.

    A page is written again when the process was ended that wrote it.
    """
    try:
        return create()
    except FileExistsError:
        place.unlink(missing_ok=True)
        return create()


def _copy(source: int, place: Path) -> None:
    target = _opened(place)
    try:
        sparse_copy.copy(source, target)
    except BaseException:
        with suppress(OSError):
            place.unlink()
        raise
    finally:
        os.close(target)


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the device and inode of each file below a folder, by its path there."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118 - tens of thousands of them
            state = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - as above
            found[os.path.relpath(path, folder)] = (state.st_dev, state.st_ino)
    return found
