"""Objects of releases as they are answered: small ones whole in memory, of large ones the places.

The bytes of each are looked at before the first reader has them: a disk or a store may have damaged them.
Those of a large one are looked at once, for as long as it is known.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from threading import BoundedSemaphore

from msgspec import Struct

from builder.errors import TwinpressError
from server.releases import packed_object
from server.releases.object_store import ObjectStore
from server.releases.packed_object import HEAD_BYTES, NoObject, Parts, holds, unpacked
from server.releases.release import Digest
from server.releases.release_store import ReleaseStore
from server.releases.split_object import encode
from server.releases.stored_object import StoredObject, find_object, object_key, read_part

LARGE = 512 * 1024
"""Bytes of a packed object up to which it is small."""
MEMORY = 64 * 1024 * 1024
BEGINNING = 16 * 1024
_OVERHEAD, _PIECE_OVERHEAD = 512, 256
_PIECE = 4 * 1024 * 1024
_LARGEST_TEXT = 3 * packed_object.LARGEST_TEXT
"""Bytes of an object with compressed forms, of which each is shorter than the text."""
_CHECKS = BoundedSemaphore(4)
"""Large objects that are looked at at a time, so that they take little memory together."""


class DamagedObject(TwinpressError):
    """The bytes of a file are not there, or are others than they were."""


class PackedFile(Struct, frozen=True, gc=False):
    """An object: all of its `data` where it is small, else its `data` up to the beginning of the file.

    `forms` is a digest of its compressed forms and of the places of all: other versions of the libraries can
    compress the same bytes to others.
    """

    stored: StoredObject
    data: bytes
    is_whole: bool
    forms: Digest

    @property
    def parts(self) -> Parts:
        """The places of its forms."""
        return self.stored.parts

    @property
    def size(self) -> int:
        """The bytes of memory that it takes, more or less."""
        pieces = len(self.stored.split.pieces) if self.stored.split else 0
        return len(self.data) + _OVERHEAD + pieces * _PIECE_OVERHEAD

    @property
    def beginning(self) -> bytes:
        """The first bytes of the file."""
        start, length = self.parts.identity
        return self.data[start : start + min(length, BEGINNING)]


class ObjectMemory:
    """Objects, at most `most` bytes of them. For one event loop.

    A small one is known by its digest, and serves all sites; a large one is that of a store.
    """

    def __init__(self, most: int = MEMORY) -> None:
        self._most = most
        self._size = 0
        self._objects: OrderedDict[Hashable, PackedFile] = OrderedDict()
        self._reading: dict[Hashable, asyncio.Task[PackedFile]] = {}

    def get(self, store: ReleaseStore, digest: Digest) -> PackedFile | None:
        """Return an object that is in memory."""
        for key in (digest, (store, digest)):
            found = self._objects.get(key)
            if found is not None:
                self._objects.move_to_end(key)
                return found
        return None

    async def read(self, store: ReleaseStore, digest: Digest) -> PackedFile:
        """Return an object, read if need be, once for all who ask. Raises DamagedObject and StorageError."""
        found = self.get(store, digest)
        if found is not None:
            return found
        key = (store, digest)
        task = self._reading.get(key)
        if task is None:
            task = self._reading[key] = asyncio.create_task(asyncio.to_thread(read_object, store, digest))
            task.add_done_callback(lambda done: self._keep(store, digest, done))
        return await asyncio.shield(task)

    def _keep(self, store: ReleaseStore, digest: Digest, task: asyncio.Task[PackedFile]) -> None:
        del self._reading[store, digest]
        if task.cancelled() or task.exception() is not None:
            return
        found = task.result()
        key: Hashable = digest if found.is_whole else (store, digest)
        if key in self._objects:  # another site's reader was quicker
            return
        self._objects[key] = found
        self._size += found.size
        while self._size > self._most:
            _, gone = self._objects.popitem(last=False)
            self._size -= gone.size


def read_object(store: ReleaseStore, digest: Digest) -> PackedFile:
    """Read an object. Raises DamagedObject and StorageError."""
    key = object_key(digest)
    try:
        return _read(store.objects, digest)
    except FileNotFoundError:
        raise DamagedObject("the bytes of a file are missing", path=key) from None
    except NoObject as error:
        raise DamagedObject(str(error), path=key) from None


def _read(objects: ObjectStore, digest: Digest) -> PackedFile:
    """Read an object. Raises DamagedObject, NoObject, FileNotFoundError and StorageError."""
    stored, data = find_object(objects, digest, LARGE)
    size = sum(stored.parts.brotli)
    if size > LARGE:
        with _CHECKS:
            forms = _large_forms(objects, stored, digest)
    else:
        forms = _forms(data, stored.parts, digest) if len(data) == size else None
    if forms is None:
        raise DamagedObject("the bytes of a file have changed", path=stored.key)
    if size > LARGE:
        return PackedFile(stored, data[: HEAD_BYTES + BEGINNING], is_whole=False, forms=forms)
    return PackedFile(stored, data, is_whole=True, forms=forms)


def _forms(data: bytes, places: Parts, digest: Digest) -> Digest | None:
    """Return the digest of an object's forms; None unless each is of the bytes with this digest."""
    start, length = places.identity
    if hashlib.sha256(data[start : start + length]).digest() != digest or not holds(data, places):
        return None
    found = hashlib.sha256(data[:start])
    found.update(memoryview(data)[start + length :])
    return found.digest()


def _large_forms(objects: ObjectStore, stored: StoredObject, digest: Digest) -> Digest | None:
    """Return the digest of a large object's forms as `_forms` does; files are not compressed."""
    size, identity = sum(stored.parts.brotli), stored.parts.identity
    if stored.split or size == sum(identity):
        is_same = _digest_of(_read_pieces(objects, stored, identity)) == digest
        if not is_same or (stored.split and not _unpacks(objects, stored, digest)):
            return None
        return hashlib.sha256(encode(stored.split) if stored.split else b"").digest()
    if size > _LARGEST_TEXT:
        return None
    data = read_part(objects, stored, 0, size)
    return _forms(data, stored.parts, digest) if len(data) == size else None


def _unpacks(objects: ObjectStore, stored: StoredObject, digest: Digest) -> bool:
    """Return whether the gzip form of a text in pieces has the bytes of this digest."""
    packed = _read_pieces(objects, stored, stored.parts.gzip)
    try:
        return _digest_of(unpacked(packed, stored.parts.identity[1])) == digest
    except NoObject:
        return False


def _read_pieces(objects: ObjectStore, stored: StoredObject, place: tuple[int, int]) -> Iterator[bytes]:
    """Yield a part of an object, or as much of it as is there."""
    start, left = place
    while left and (piece := read_part(objects, stored, start, min(left, _PIECE))):
        yield piece
        start, left = start + len(piece), left - len(piece)


def _digest_of(pieces: Iterable[bytes]) -> Digest:
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return found.digest()
