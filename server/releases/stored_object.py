"""An object of a release as it is read, whether it is stored as one or in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from server.releases import split_object
from server.releases.object_store import ObjectStore
from server.releases.packed_object import Parts, parts
from server.releases.release import Digest, digest_key
from server.releases.split_object import Place, SplitObject, split_key

OBJECTS = "objects"


class StoredObject(Struct, frozen=True):
    """An object with the places of its forms; with `split`, it is stored in pieces."""

    key: str
    parts: Parts
    split: SplitObject | None = None


def find_object(objects: ObjectStore, digest: Digest, length: int) -> tuple[StoredObject, bytes]:
    """Return the object with the bytes of this digest, and as many of its own first bytes.

    Raises FileNotFoundError, NoObject and StorageError.
    """
    key = object_key(digest)
    try:
        data = objects.read_range(key, 0, length)
        return StoredObject(key, parts(data)), data
    except FileNotFoundError:
        found = objects.read(split_key(digest))
        if found is None:
            raise
    split = split_object.decode(found.data)
    stored = StoredObject(split_key(digest), split.parts, split)
    return stored, read_part(objects, stored, 0, length)


def read_part(objects: ObjectStore, stored: StoredObject, start: int, length: int) -> bytes:
    """Return a part of an object; fewer bytes where it ends before.

    Raises FileNotFoundError and StorageError.
    """
    if stored.split is None:
        return objects.read_range(stored.key, start, length)
    found = list(stored.split.places(start, length))
    places = [each for each in found if not isinstance(each, bytes)]
    return b"".join(_joined(found, iter(objects.read_ranges(places))))


def _joined(found: list[Place | bytes], read: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the bytes in order, up to a piece that is cut off."""
    for each in found:
        if isinstance(each, bytes):
            yield each
            continue
        data = next(read)
        yield data
        if len(data) < each[2]:
            return


def object_key(digest: Digest) -> str:
    """Return the key of the object with the bytes of this digest."""
    return digest_key(OBJECTS, digest)
