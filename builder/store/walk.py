"""Walk a site by descriptors, one name at a time, so that no symbolic link is ever followed.

Checking a path's text is not enough: between the check and the use, a folder may become a link to
somewhere else. Every name is therefore opened in the folder that is already open, with O_NOFOLLOW.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# Without O_NONBLOCK, opening a FIFO would wait for its writer.
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CHUNK = 1 << 20
# Half of a surrogate pair, but for those that stand for bytes of a name that is no UTF-8.
_UNSAYABLE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Blocked(Exception):
    """Something of another kind stands there; `kind` says what: `a symbolic link`."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(f"{name} is {kind}")
        self.name = name
        self.kind = kind


class TooLarge(Exception):
    """A file has more bytes than it may have."""


def nfc(name: str) -> str:
    """A name in Unicode's normal form C."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def kind_of(mode: int) -> str:
    """The kind of a file, for a message."""
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a file",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")


class _Kept(threading.local):
    """The folders that this thread keeps open, by where they begin and the way to them; None: none is."""

    folders: dict[tuple[int, tuple[str, ...]], int] | None = None
    left: list[int]


_kept = _Kept()


@contextmanager
def kept_open() -> Iterator[None]:
    """Keep the folders that this thread opens with `folder` open for the time of the block.

    So a change opens each folder once. What removes a folder meanwhile has to `forget`.
    """
    _kept.folders, _kept.left = {}, []
    try:
        yield
    finally:
        forget()
        _kept.folders = None
        for descriptor in _kept.left:
            os.close(descriptor)


def forget() -> None:
    """Open all folders anew, as one of them has been removed; they are closed when the block ends."""
    if _kept.folders:
        _kept.left += _kept.folders.values()
        _kept.folders.clear()


@contextmanager
def folder(root: int, parts: Sequence[str]) -> Iterator[int]:
    """The descriptor of a folder below `root`, open for the time of the block.

    Raises FileNotFoundError or Blocked. The parts are content names (NFC) or names as they are on disk.
    """
    kept, way = _kept.folders, (root, tuple(parts))
    if kept is None or not parts:
        here = _descend(root, parts)
        try:
            yield here
        finally:
            if here != root:
                os.close(here)
        return
    if way not in kept:
        kept[way] = _descend(root, parts)
    yield kept[way]


def _descend(root: int, parts: Sequence[str]) -> int:
    here = root
    for part in parts:
        try:
            inner = open_folder(here, part)
        finally:
            if here != root:
                os.close(here)
        here = inner
    return here


def open_folder(parent: int, name: str) -> int:
    """A folder's descriptor. Raises FileNotFoundError or Blocked."""
    check_name(name)
    try:
        return os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        other = actual(parent, name)
        if other is None or other == name:
            raise
        return open_folder(parent, other)
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.ELOOP}:
            raise _blocked(parent, name) from None
        raise


def open_file(parent: int, name: str) -> tuple[int, os.stat_result]:
    """A regular file's descriptor and what is known of it. Raises FileNotFoundError or Blocked."""
    check_name(name)
    # Looked at before it is opened: opening a device can do things by itself.
    if not stat.S_ISREG(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        raise _blocked(parent, name)
    try:
        descriptor = os.open(name, FLAGS, dir_fd=parent)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:
            raise _blocked(parent, name) from None
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise Blocked(name, kind_of(found.st_mode))
    return descriptor, found


def read_file(parent: int, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """All bytes of a regular file. Raises FileNotFoundError, Blocked, or TooLarge above `limit`."""
    descriptor, found = open_file(parent, name)
    try:
        if found.st_size > limit:
            raise TooLarge
        parts: list[bytes] = []
        left, want = limit + 1, found.st_size + 1
        while left > 0 and (part := os.read(descriptor, min(left, want))):
            parts.append(part)
            left, want = left - len(part), CHUNK
            if len(part) == found.st_size:
                break  # less than was asked for: this is the end
    finally:
        os.close(descriptor)
    if left <= 0:
        raise TooLarge
    return b"".join(parts), found


def look(parent: int, name: str) -> os.stat_result | None:
    """Return the state of the entry at a name, without following it; None when there is none."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def actual(parent: int, name: str) -> str | None:
    """The name on disk for a name in NFC: itself, or another normal form of it; None when there is none."""
    if look(parent, name) is not None:
        return name
    if name.isascii():
        return None
    with os.scandir(parent) as entries:
        same = (entry.name for entry in entries if nfc(entry.name) == name)
        return min(same, default=None)


def spelled(root: int, parts: Sequence[str]) -> list[str]:
    """Folders by their names on disk. Raises FileNotFoundError or Blocked."""
    way: list[str] = []
    for part in parts:
        if part.isascii():
            way.append(part)
            continue
        with folder(root, way) as parent:
            way.append(actual(parent, part) or part)
    return way


def check_name(name: str) -> None:
    """The last line of defence: one name, never a way. Raises FileNotFoundError as no such file can be."""
    if not name or name in {".", ".."} or "/" in name or "\0" in name or _UNSAYABLE.search(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def _blocked(parent: int, name: str) -> Blocked:
    found = look(parent, name)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return Blocked(name, kind_of(found.st_mode))
