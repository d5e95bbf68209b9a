"""List of the files in an output folder with their keys, which tell whether one must be written again.

A file that is as it was left, by what the file system says of it, need not even be read. As in git, a file
whose times are as young as the record itself may have changed since without its times telling: it is read.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from builder.store import FRESH, FileState


class Left(NamedTuple):
    """A file as it was left: its state, and a digest of its bytes, empty when nobody has made one."""

    state: FileState
    content: bytes = b""


class LedgerEntry(Struct, frozen=True, gc=False):
    """A file as it was left, and the key of what it was made of."""

    key: bytes
    left: Left


class WrittenFiles(Struct):
    """`at` is the time (ns) at which the entries `old`, by path, were put down; `new` are those of now."""

    at: int = 0
    old: dict[str, LedgerEntry] = field(default_factory=dict)
    new: dict[str, LedgerEntry] = field(default_factory=dict)

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Put down that a file has been written, or had been already."""
        if key and left is not None:
            self.new[path] = LedgerEntry(key, left)

    def key(self, path: str) -> bytes | None:
        """The key under which the file at `path` was written."""
        old = self.old.get(path)
        return old.key if old else None

    def stays(
        self, path: str, key: bytes, state: FileState, read: Callable[[str, int], bytes | None]
    ) -> bool:
        """Return whether the file at `path`, in this state, is the one that was written; note this key.

        `read` gives its bytes, as many as its state says.
        """
        old = self.old.get(path)
        if old is None or old.left.state != state:
            return False
        if state.youngest + FRESH > self.at and not self._has(old.left, path, read):
            return False
        self.new[path] = old if old.key == key else LedgerEntry(key, old.left)
        return True

    def left(self, path: str) -> Left | None:
        """Return how an earlier build left a file, when its state alone tells whether it is the same."""
        old = self.old.get(path)
        return old.left if old and old.left.state.youngest + FRESH <= self.at else None

    def under(self, key: bytes) -> list[str]:
        """The paths of all that was written under this key."""
        return [path for path, entry in self.old.items() if entry.key == key]

    def _has(self, left: Left, path: str, read: Callable[[str, int], bytes | None]) -> bool:
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


_DECODER = msgspec.msgpack.Decoder(tuple[int, dict[str, LedgerEntry]])


def decode(data: bytes) -> WrittenFiles:
    """Decode the record of an earlier build. Raises msgspec.DecodeError."""
    return WrittenFiles(*_DECODER.decode(data))
