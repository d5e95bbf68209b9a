"""Objects of releases as they are answered: small ones whole in memory, of large ones the places."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict

from msgspec import Struct

from builder.errors import TwinpressError
from server.releases.packed_object import HEAD_BYTES, NoObject, Parts, holds, parts
from server.releases.release import Digest
from server.releases.release_store import ReleaseStore, object_key

LARGE = 512 * 1024
"""Bytes of a packed object up to which it is small."""
MEMORY = 64 * 1024 * 1024
BEGINNING = 16 * 1024
_OVERHEAD = 512


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
    """Objects by digest, at most `most` bytes of them. For one event loop."""

    def __init__(self, most: int = MEMORY) -> None:
        self._most = most
        self._size = 0
        self._objects: OrderedDict[Digest, PackedFile] = OrderedDict()
        self._reading: dict[Digest, asyncio.Task[PackedFile]] = {}

    def get(self, digest: Digest) -> PackedFile | None:
        """Return an object that is in memory."""
        found = self._objects.get(digest)
        if found is not None:
            self._objects.move_to_end(digest)
        return found

    async def read(self, store: ReleaseStore, digest: Digest) -> PackedFile:
        """Return an object, read if need be, once for all who ask. Raises DamagedObject and StorageError."""
        found = self.get(digest)
        if found is not None:
            return found
        task = self._reading.get(digest)
        if task is None:
            task = self._reading[digest] = asyncio.create_task(asyncio.to_thread(read_object, store, digest))
            task.add_done_callback(lambda done: self._keep(digest, done))
        return await asyncio.shield(task)

    def _keep(self, digest: Digest, task: asyncio.Task[PackedFile]) -> None:
        del self._reading[digest]
        if task.cancelled() or task.exception() is not None:
            return
        found = self._objects[digest] = task.result()
        self._size += len(found.data) + _OVERHEAD
        while self._size > self._most:
            _, gone = self._objects.popitem(last=False)
            self._size -= len(gone.data) + _OVERHEAD


def read_object(store: ReleaseStore, digest: Digest) -> PackedFile:
    """Read an object. Raises DamagedObject and StorageError."""
    key = object_key(digest)
    try:
        data = store.objects.read_range(key, 0, LARGE)
        places = parts(data)
    except FileNotFoundError:
        raise DamagedObject("the bytes of a file are missing", path=key) from None
    except NoObject as error:
        raise DamagedObject(str(error), path=key) from None
    size = sum(places.brotli)
    if size > LARGE:
        return PackedFile(places, data[: HEAD_BYTES + BEGINNING], is_whole=False)
    start, length = places.identity
    text = data[start : start + length]
    if len(data) != size or hashlib.sha256(text).digest() != digest or not holds(data, places):
        raise DamagedObject("the bytes of a file have changed", path=key)
    return PackedFile(places, data, is_whole=True)
