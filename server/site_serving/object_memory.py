"""Objects of releases as they are answered: small ones whole in memory, of large ones the places.

The bytes of each are looked at before the first reader has them: a disk or a store may have damaged them.
Those of a large one are looked at once, for as long as it is known.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from threading import BoundedSemaphore

from msgspec import Struct

from builder.errors import TwinpressError
from server.releases import packed_object
from server.releases.packed_object import HEAD_BYTES, NoObject, Parts, holds, parts
from server.releases.release import Digest
from server.releases.release_store import ReleaseStore, object_key

LARGE = 512 * 1024
"""Bytes of a packed object up to which it is small."""
MEMORY = 64 * 1024 * 1024
BEGINNING = 16 * 1024
_OVERHEAD = 512
_PIECE = 4 * 1024 * 1024
_LARGEST_TEXT = 3 * packed_object.LARGEST_TEXT
"""Bytes of an object with compressed forms, of which each is shorter than the text."""
_CHECKS = BoundedSemaphore(4)
"""Large objects that are looked at at a time, so that they take little memory together."""


class DamagedObject(TwinpressError):
    """The bytes of a file are not there, or are others than they were."""


class PackedFile(Struct, frozen=True, gc=False):
    """An object: all of its `data` where it is small, else its `data` up to the beginning of the file."""

    parts: Parts
    data: bytes
    is_whole: bool

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
        self._size += len(found.data) + _OVERHEAD
        while self._size > self._most:
            _, gone = self._objects.popitem(last=False)
            self._size -= len(gone.data) + _OVERHEAD


def read_object(store: ReleaseStore, digest: Digest) -> PackedFile:
    """Read an object. Raises DamagedObject and StorageError."""
    key = object_key(digest)
    try:
        return _read(store, digest)
    except FileNotFoundError:
        raise DamagedObject("the bytes of a file are missing", path=key) from None
    except NoObject as error:
        raise DamagedObject(str(error), path=key) from None


def _read(store: ReleaseStore, digest: Digest) -> PackedFile:
    """Read an object. Raises DamagedObject, NoObject, FileNotFoundError and StorageError."""
    key = object_key(digest)
    data = store.objects.read_range(key, 0, LARGE)
    places = parts(data)
    size = sum(places.brotli)
    if size > LARGE:
        with _CHECKS:
            is_whole = _holds_large(store, digest, places)
    else:
        is_whole = len(data) == size and _holds(data, places, digest)
    if not is_whole:
        raise DamagedObject("the bytes of a file have changed", path=key)
    if size > LARGE:
        return PackedFile(places, data[: HEAD_BYTES + BEGINNING], is_whole=False)
    return PackedFile(places, data, is_whole=True)


def _holds(data: bytes, places: Parts, digest: Digest) -> bool:
    start, length = places.identity
    return hashlib.sha256(data[start : start + length]).digest() == digest and holds(data, places)


def _holds_large(store: ReleaseStore, digest: Digest, places: Parts) -> bool:
    """Return whether a large object has the bytes of this digest in each form; files are not compressed."""
    size = sum(places.brotli)
    if size == sum(places.identity):
        return _digest_of(store, object_key(digest), places.identity) == digest
    if size > _LARGEST_TEXT:
        return False
    data = store.objects.read_range(object_key(digest), 0, size)
    return len(data) == size and _holds(data, places, digest)


def _digest_of(store: ReleaseStore, key: str, place: tuple[int, int]) -> Digest:
    """Return the digest of a part of an object, or of as much of it as is there."""
    start, left = place
    found = hashlib.sha256()
    while left and (piece := store.objects.read_range(key, start, min(left, _PIECE))):
        found.update(piece)
        start, left = start + len(piece), left - len(piece)
    return found.digest()
