"""What was written into an output folder, under which keys: whether it must be written again.

A file that is as it was left, by what the file system says of it, need not even be read. As in git, a file
whose times are as young as the record itself may have changed since without its times telling.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import msgspec

from builder.store import FRESH, FileState


@dataclass(frozen=True, slots=True)
class Entry:
    """A file's state after it was written, and the key of what it was made of."""

    key: bytes
    state: FileState


@dataclass(slots=True)
class Ledger:
    """`at` is the time (ns) at which the entries `old`, by path, were put down; `new` are those of now."""

    at: int = 0
    old: dict[str, Entry] = field(default_factory=dict)
    new: dict[str, Entry] = field(default_factory=dict)

    def wrote(self, path: str, key: bytes, state: FileState | None) -> None:
        """Put down that a file has been written, or had been already, and is in this state since."""
        if key and state is not None:
            self.new[path] = Entry(key, state)

    def has(self, path: str, key: bytes, state: FileState | None) -> bool:
        """Whether the file at `path`, in this state just now, is the one that was written under this key."""
        old = self.old.get(path)
        if old is None or old.key != key or old.state != state:
            return False
        if max(old.state[2:]) + FRESH > self.at:
            return False
        self.new[path] = old
        return True

    def under(self, key: bytes) -> list[str]:
        """The paths of all that was written under this key."""
        return [path for path, entry in self.old.items() if entry.key == key]

    def encode(self) -> bytes:
        """The entries of now."""
        return msgspec.msgpack.encode((time.time_ns(), self.new))


_DECODER = msgspec.msgpack.Decoder(tuple[int, dict[str, Entry]])


def decode(data: bytes) -> Ledger:
    """What an earlier build has put down. Raises msgspec.DecodeError."""
    return Ledger(*_DECODER.decode(data))
