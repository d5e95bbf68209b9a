"""List of the files in an output folder with their keys, which tell whether one must be written again.

A file that is as it was left, by what the file system says of it, need not even be read. As in git, a file
whose times are as young as the record itself may have changed since without its times telling: it is read.
"""

from __future__ import annotations

import hashlib
import os
import struct
import time
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from builder.store import FRESH, FileState, state_of

Read = Callable[[str, int], bytes | None]
"""Gives as many bytes of the file at a path, None when it is gone or longer."""


class Left(NamedTuple):
    """A file as it was left: its state, and a digest of its bytes, empty when nobody has made one."""

    state: FileState
    content: bytes = b""


class LedgerEntry(NamedTuple):
    """A file as it was left, and the key of what it was made of."""

    key: bytes
    left: Left


class WrittenFiles(Struct):
    """`at` is the time (ns) at which the entries `old`, by path, were put down; `new` are those of now.

    Each entry is a row of bytes: the state of the file, the digest of its content with its length before it,
    and the key. A large site has several hundred thousand of them, and most are only compared.
    """

    at: int = 0
    old: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Put down that a file has been written, or had been already."""
        row = _packed(left, key) if key and left is not None else b""
        if row:
            self.new[path] = row

    def before(self, path: str) -> LedgerEntry | None:
        """Return the entry that an earlier build has put down for a file."""
        return _entry(self.old.get(path))

    def now(self, path: str) -> LedgerEntry | None:
        """Return the entry that this build has put down for a file."""
        return _entry(self.new.get(path))

    def is_under(self, path: str, key: bytes) -> bool:
        """Return whether an earlier build wrote the file at `path` under this key."""
        row = self.old.get(path)
        return row is not None and _key_of(row) == key

    def leave_all(self, paths: Sequence[str], key: bytes, as_left: Container[str]) -> bool:
        """Put down that files of the earlier build stay, if all have this key and are `as_left`."""
        rows = [self.old.get(path, b"") for path in paths]
        for path, row in zip(paths, rows, strict=True):
            if not key or not row.endswith(key) or path not in as_left:
                return False
        self.new.update(zip(paths, rows, strict=True))
        return True

    def stays(self, path: str, key: bytes, state: FileState, read: Read) -> bool:
        """Return whether the file at `path`, in this state, is the one that was written; note this key.

        `read` gives its bytes, as many as its state says.
        """
        old = self.before(path)
        if old is None or not self._is_as_written(old.left, path, state, read):
            return False
        self.leave(path, key)
        return True

    def is_left(self, path: str, found: os.stat_result | None, read: Read) -> bool:
        """Return whether what was found at `path` is what was written; `read` is that of `stays`."""
        old = self.before(path)
        if old is None or found is None:
            return False
        return self._is_as_written(old.left, path, state_of(found), read)

    def tells(self, path: str, found: os.stat_result) -> bool:
        """Return whether what was found at `path` is what was written, as its state alone tells."""
        row, changed, touched = self.old.get(path), found.st_mtime_ns, found.st_ctime_ns
        if row is None or changed + FRESH > self.at or touched + FRESH > self.at:
            return False
        try:
            return row.startswith(_STATE.pack(found.st_ino, found.st_size, changed, touched))
        except struct.error:
            return False

    def leave(self, path: str, key: bytes) -> None:
        """Put down that a file of the earlier build stays as it is, under this key."""
        row = self.old[path]
        self.new[path] = row if _key_of(row) == key else row[: _begin_of_key(row)] + key

    def left(self, path: str) -> Left | None:
        """Return how an earlier build left a file, when its state alone tells whether it is the same."""
        old = self.before(path)
        return old.left if old and old.left.state.youngest + FRESH <= self.at else None

    def contents(self) -> Iterator[bytes]:
        """Yield the digests of all that the earlier build wrote."""
        return (_unpacked(row).left.content for row in self.old.values())

    def under(self, key: bytes) -> list[str]:
        """The paths of all that was written under this key."""
        return [path for path, row in self.old.items() if _key_of(row) == key]

    def _is_as_written(self, left: Left, path: str, state: FileState, read: Read) -> bool:
        if left.state != state:
            return False
        return state.youngest + FRESH <= self.at or self._has(left, path, read)

    def _has(self, left: Left, path: str, read: Read) -> bool:
        """Return whether a file whose state may hide a change has the bytes that were written."""
        if not left.content or left.state.youngest + FRESH > time.time_ns():
            return False
        there = read(path, left.state[1])
        return there is not None and content_digest(there) == left.content

    def encode(self) -> bytes:
        """The entries of now."""
        return msgspec.msgpack.encode((time.time_ns(), self.new))


def content_digest(data: bytes) -> bytes:
    """Return a digest of a file's bytes: 16 bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _entry(row: bytes | None) -> LedgerEntry | None:
    return None if row is None else _unpacked(row)


def _packed(left: Left, key: bytes) -> bytes:
    """A file as it was left, with its key, as a row; empty for one with times that no row can have."""
    try:
        return b"%b%c%b%b" % (_STATE.pack(*left.state), len(left.content), left.content, key)
    except struct.error:
        return b""


def _unpacked(row: bytes) -> LedgerEntry:
    key = _begin_of_key(row)
    left = Left(FileState(*_STATE.unpack_from(row)), row[_STATE.size + 1 : key])
    return LedgerEntry(row[key:], left)


def _key_of(row: bytes) -> bytes:
    return row[_begin_of_key(row) :]


def _begin_of_key(row: bytes) -> int:
    return _STATE.size + 1 + row[_STATE.size]


_STATE = struct.Struct("<Qqqq")
"""Inode, bytes, and both times of a FileState."""
_DECODER = msgspec.msgpack.Decoder(tuple[int, dict[str, bytes]])


def decode(data: bytes) -> WrittenFiles:
    """Decode the record of an earlier build. Raises msgspec.DecodeError."""
    found = WrittenFiles(*_DECODER.decode(data))
    if min(map(len, found.old.values()), default=_STATE.size + 1) <= _STATE.size:
        raise msgspec.ValidationError("rows of another form")
    return found
