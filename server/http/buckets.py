"""Buckets of requests: how many each key has left. They are of one process, or shared by all of a service.

Shared ones are in a file that all processes have in memory, so their limits are one. The file is a table of
`SETS` times `WAYS` records. A key is looked for in one set, which a digest of it names; where it has no
record yet it gets the one that was used longest ago.

    record  =  digest of the key, 16 bytes  ·  requests left  ·  when that was so      both as doubles

Times are those of the system's monotonic clock, which all processes of a machine share and which begins anew
when it starts: a time yet to come is that of an earlier start, and its record is worth nothing.

A lock of the file holds the others off for the microseconds of one request, and ends with its process. Who is
stopped while holding it would stop them all, so nobody waits longer than `PATIENCE`: then one request may be
counted as if it had not been.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import time
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from server.process.file_lock import try_lock

Bucket = tuple[float, float]
"""Requests that are left, and when that was so."""
KNOWN = 20_000
"""Own buckets that there are at most. One that nobody has used for a minute is full, and as good as none."""
SETS, WAYS = 8_192, 8
PATIENCE = 0.05
"""Seconds."""
_RECORD = struct.Struct("=16sdd")
_SET = _RECORD.size * WAYS
_SIZE = _SET * SETS
_PAUSE = 0.0005


class Buckets(Protocol):
    """The place of buckets: how many requests a key has left, and when that was so."""

    def get(self, key: str, now: float) -> Bucket | None:
        """Return the bucket of a key; None for one that has none."""

    def set(self, key: str, bucket: Bucket) -> None:
        """Keep the bucket of a key. Of too many, the one that was used longest ago is forgotten."""

    def turn(self) -> AbstractContextManager[None]:
        """Hold others off, for the time of the block."""


class OwnBuckets(Struct):
    """The buckets of one process."""

    _all: dict[str, Bucket] = field(default_factory=dict)

    def get(self, key: str, now: float) -> Bucket | None:
        """Return the bucket of a key; None for one that has none."""
        return self._all.get(key)

    def set(self, key: str, bucket: Bucket) -> None:
        """Keep the bucket of a key; of more than `KNOWN` the one that was used longest ago is forgotten."""
        self._all.pop(key, None)
        self._all[key] = bucket
        if len(self._all) > KNOWN:
            del self._all[next(iter(self._all))]

    def turn(self) -> AbstractContextManager[None]:
        """Nobody else has them."""
        return nullcontext()


class SharedBuckets:
    """The buckets in a file, which is made when it is new. Raises OSError where that cannot be."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            # All room is taken now: there would be no error later, but a signal that ends the process.
            os.posix_fallocate(self._file, 0, _SIZE)
            self._table = mmap.mmap(self._file, _SIZE)
        except BaseException:
            os.close(self._file)
            raise

    def get(self, key: str, now: float) -> Bucket | None:
        """Return the bucket of a key; None for one that has none."""
        at = self._find(*_place(key))
        if at < 0:
            return None
        _, left, then = _RECORD.unpack_from(self._table, at)
        return (left, then) if 0 <= then <= now and left >= 0 else None

    def set(self, key: str, bucket: Bucket) -> None:
        """Keep the bucket of a key."""
        digest, begin = _place(key)
        at = self._find(digest, begin)
        if at < 0:
            at = self._oldest(begin, bucket[1])
        _RECORD.pack_into(self._table, at, digest, *bucket)

    def turn(self) -> AbstractContextManager[None]:
        """Hold other processes off, for the time of the block."""
        return _Turn(self._file)

    def _find(self, digest: bytes, begin: int) -> int:
        """Return where the record of a key begins, -1 if it has none.

        Each request asks twice: to search the bytes costs a fifth of what reading the records does.
        """
        at, end = self._table.find(digest, begin, begin + _SET), begin + _SET
        while at >= 0 and (at - begin) % _RECORD.size:  # numbers of others may look like it
            at = self._table.find(digest, at + 1, end)
        return at

    def _oldest(self, begin: int, now: float) -> int:
        """Return where the record of a set begins that was used longest ago."""
        records = enumerate(_RECORD.iter_unpack(self._table[begin : begin + _SET]))
        return begin + min(records, key=lambda one: _age(one[1][2], now))[0] * _RECORD.size

    def close(self) -> None:
        """Let go of the file."""
        self._table.close()
        os.close(self._file)


class _Turn(Struct):
    """The lock of the file for a block: each request takes it, and a generator costs half as much again."""

    file: int

    def __enter__(self) -> None:
        end = 0.0
        while not try_lock(self.file):
            end = end or time.monotonic() + PATIENCE
            if time.monotonic() > end:
                break
            time.sleep(_PAUSE)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self.file, fcntl.LOCK_UN)


@lru_cache(maxsize=4_096)
def _place(key: str) -> tuple[bytes, int]:
    """The digest of a key, and where the records of its set begin."""
    digest = blake2b(key.encode(), digest_size=16).digest()
    return digest, int.from_bytes(digest[:4], "big") % SETS * _SET


def _age(then: float, now: float) -> float:
    """Order records by when they were used; those whose time is none come first."""
    return then if 0 <= then <= now else -1.0
