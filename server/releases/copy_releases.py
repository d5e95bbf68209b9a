"""Copy releases from one store to another: what is there already is left, what is damaged is told.

The order is that of a publish: bytes, then lists, then records, then the pointer. It can be broken off, and
done again while the service goes on: the last time, when it is stopped, is short. Apart from its command, as
no command knows how objects are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec import Struct

from server.releases import split_object
from server.releases.hosts import HOSTS
from server.releases.object_store import ObjectStore
from server.releases.packed_object import NoObject, parts
from server.releases.release_store import PARTS, POINTER, RELEASES
from server.releases.site_stores import SiteStores
from server.releases.split_object import PIECES, SPLIT
from server.releases.stored_object import OBJECTS


class Copied(Struct, frozen=True):
    """Numbers of sites and of objects that were put, and the keys of objects that are damaged."""

    sites: int
    objects: int
    damaged: Sequence[str]


def copy_releases(source: SiteStores, target: SiteStores, told: Callable[[str], None]) -> Copied:
    """Copy the releases of all sites, and their hosts. Raises StorageError and ReplacedMeanwhile.

    `told` is given the id of each site before it is copied. What is damaged is left out.
    """
    sites, objects, damaged = sorted(source.ids()), 0, list[str]()
    for id in sites:
        told(id)
        count, bad = copy_site(source.site(id), target.site(id))
        objects += count
        damaged += (f"{id}/{key}" for key in bad)
    _replace(source.shared(), target.shared(), HOSTS)
    return Copied(len(sites), objects, damaged)


def copy_site(source: ObjectStore, target: ObjectStore) -> tuple[int, Sequence[str]]:
    """Copy the releases of a site; return how many objects were put, and the keys of damaged ones."""
    count, damaged = 0, list[str]()
    for folder, is_whole in _WHOLE.items():  # pieces before the texts that are made of them
        keys = set(source.keys(folder))
        missing = sorted(keys - target.present(keys))
        bad = list(_put(source, target, missing, partial(is_whole, source)))
        count, damaged = count + len(missing) - len(bad), damaged + bad
    records = list(source.keys(RELEASES))
    for last in (False, True):
        # The record comes last: a release is there when it is.
        some = [key for key in records if key.endswith(f"/{PARTS[0]}") is last]
        damaged += _put(source, target, some, lambda _key, _data: True)
    _replace(source, target, POINTER)
    return count, damaged


def _put(
    source: ObjectStore, target: ObjectStore, keys: Iterable[str], is_whole: Callable[[str, bytes], bool]
) -> Iterable[str]:
    """Put objects, and yield the keys of those that are damaged."""
    for key in keys:
        found = source.read(key)
        if found is None:
            continue  # a sweep has deleted it
        if is_whole(key, found.data):
            target.put(key, found.data)
        else:
            yield key
    target.sync()


def _is_whole_object(_source: ObjectStore, key: str, data: bytes) -> bool:
    try:
        places = parts(data)
    except NoObject:
        return False
    start, length = places.identity
    digest = hashlib.sha256(memoryview(data)[start : start + length]).hexdigest()
    return len(data) == sum(places.brotli) and key.endswith(f"/{digest}")


def _is_whole_piece(_source: ObjectStore, key: str, data: bytes) -> bool:
    return key.endswith(f"/{hashlib.sha256(data).hexdigest()}")


def _is_whole_text(source: ObjectStore, key: str, data: bytes) -> bool:
    """Return whether the pieces that a text names are there, and have its bytes."""
    found = hashlib.sha256()
    try:
        for piece in split_object.decode(data).pieces:
            whole = source.read_range(piece.key, 0, piece.length + piece.deflated)
            if not _is_whole_piece(source, piece.key, whole):
                return False
            found.update(whole[: piece.length])
    except (NoObject, FileNotFoundError):
        return False
    return key.endswith(f"/{found.hexdigest()}")


_WHOLE = {PIECES: _is_whole_piece, OBJECTS: _is_whole_object, SPLIT: _is_whole_text}
"""The folders of objects in the order in which they are copied, with what says whether one is whole."""


def _replace(source: ObjectStore, target: ObjectStore, key: str) -> None:
    found, there = source.read(key), target.read(key)
    if found is not None and (there is None or there.data != found.data):
        target.replace(key, found.data, there.version if there else "")
