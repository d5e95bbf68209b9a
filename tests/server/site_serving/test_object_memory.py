"""Objects in memory: bounded, read once for all who ask, and never what has been damaged."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import random

import brotli
import pytest

from server.releases.object_store import ObjectStore
from server.releases.packed_object import HEAD_BYTES, head, pack, parts
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import object_key
from server.site_serving import object_memory
from server.site_serving.object_memory import BEGINNING, LARGE, DamagedObject, ObjectMemory
from tests.server.site_serving.published import release_store

SIZES = [0, 1, 1000, LARGE - 100, LARGE, LARGE + 1, 3 * LARGE]


class Counted:
    """A store that counts what is read of it."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self.reads = 0

    def read_range(self, key: str, start: int, length: int) -> bytes:
        self.reads += 1
        return self._objects.read_range(key, start, length)


def _keep(store: ReleaseStore, data: bytes) -> bytes:
    digest = hashlib.sha256(data).digest()
    store.keep(digest, pack(data, compress=False))
    return digest


@pytest.mark.parametrize("size", SIZES)
def test_the_parts_of_an_object_are_known_whatever_its_size(tmp_path, size):
    data = random.Random(size).randbytes(size)
    store = release_store(tmp_path)
    digest = _keep(store, data)
    found = asyncio.run(ObjectMemory().read(store, digest))
    assert found.parts.identity[1] == size
    assert found.beginning == data[:BEGINNING]
    assert found.is_whole == (size < LARGE - 50)
    assert len(found.data) <= LARGE


@pytest.mark.parametrize("form", ["gzip", "brotli"])
@pytest.mark.parametrize("damage", ["changed", "another text", "too long"])
def test_compressed_bytes_are_those_of_the_file(tmp_path, form, damage):
    text = b"The harbour is open. " * 200
    store, digest = release_store(tmp_path), hashlib.sha256(text).digest()
    packed = pack(text, compress=True)
    start, length = getattr(parts(packed), form)
    other = {
        "changed": packed[start : start + 20] + b"\xff" + packed[start + 21 : start + length],
        "another text": _compressed(form, text.replace(b"open", b"shut")),
        "too long": _compressed(form, text + bytes(50_000_000)),
    }[damage]
    sizes = [len(text), *(length if each != form else len(other) for each, length in _lengths(packed))]
    store.objects.put(object_key(digest), head(*sizes) + text + _others(packed, form, other))
    with pytest.raises(DamagedObject, match="have changed"):
        asyncio.run(ObjectMemory().read(store, digest))


def _compressed(form: str, data: bytes) -> bytes:
    return brotli.compress(data, quality=1) if form == "brotli" else gzip.compress(data)


def _lengths(packed: bytes) -> list[tuple[str, int]]:
    places = parts(packed)
    return [("gzip", places.gzip[1]), ("brotli", places.brotli[1])]


def _others(packed: bytes, form: str, other: bytes) -> bytes:
    places = parts(packed)
    forms = {
        each: packed[start : start + size]
        for each, (start, size) in {"gzip": places.gzip, "brotli": places.brotli}.items()
    }
    forms[form] = other
    return forms["gzip"] + forms["brotli"]


NOISE = random.Random(1).randbytes(LARGE).hex().encode()
"""A large text: its compressed forms are large, too."""
LARGE_DAMAGES = {
    "first": lambda packed, _: packed[:1000] + b"?" + packed[1001:],
    "last": lambda packed, places: packed[: sum(places.identity) - 1] + b"?" + packed[sum(places.identity) :],
    "gzip": lambda packed, places: packed[: places.gzip[0] + 50] + b"??" + packed[places.gzip[0] + 52 :],
    "brotli": lambda packed, places: (
        packed[: places.brotli[0] + 50] + b"??" + packed[places.brotli[0] + 52 :]
    ),
    "short": lambda packed, _: packed[:-1],
    "too long": lambda packed, _: head(len(NOISE), 60_000_000, 1) + packed[HEAD_BYTES:],
}
PLAIN = ["first", "last", "short", "too long"]


@pytest.mark.parametrize(
    ("damage", "compress"),
    [(each, True) for each in LARGE_DAMAGES] + [(each, False) for each in sorted(PLAIN)],
)
def test_a_large_object_is_looked_at_before_the_first_reader_has_it(tmp_path, damage, compress):
    store, other = release_store(tmp_path), release_store(tmp_path, "site_other")
    digest = hashlib.sha256(NOISE).digest()
    packed = pack(NOISE, compress=compress)
    other.keep(digest, packed)
    places = parts(packed)
    store.objects.put(object_key(digest), LARGE_DAMAGES[damage](packed, places))
    memory = ObjectMemory()

    async def ask() -> None:
        assert not (await memory.read(other, digest)).is_whole
        with pytest.raises(DamagedObject, match="have changed"):
            await memory.read(store, digest)
        store.objects.put(object_key(digest), packed)
        assert (await memory.read(store, digest)).parts == places

    asyncio.run(ask())


def test_memory_is_bounded_and_keeps_what_was_asked_for_last(tmp_path):
    store, memory = release_store(tmp_path), ObjectMemory(100_000)
    digests = [_keep(store, b"%d" % number + bytes(10_000)) for number in range(30)]

    async def ask() -> None:
        await memory.read(store, digests[0])
        for digest in digests[1:]:
            await memory.read(store, digest)
            await memory.read(store, digests[0])

    asyncio.run(ask())
    kept = [digest for digest in digests if memory.get(store, digest)]
    assert kept == [digests[0], *digests[-8:]]


def test_an_object_is_read_once_for_all_who_ask(tmp_path):
    plain, memory = release_store(tmp_path), ObjectMemory()
    digest = _keep(plain, b"data")
    store = ReleaseStore(Counted(plain.objects))

    async def ask() -> None:
        asked = [asyncio.create_task(memory.read(store, digest)) for _ in range(50)]
        asked[0].cancel()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(isinstance(each, asyncio.CancelledError) for each in found) == 1
        await memory.read(store, digest)

    asyncio.run(ask())
    assert store.objects.reads == 1


@pytest.mark.parametrize("damage", [b"", b"?", b"TPO1", b"x" * 100, None])
def test_what_is_damaged_is_not_kept(tmp_path, damage):
    store, memory = release_store(tmp_path), ObjectMemory()
    digest = _keep(store, b"data")
    file = tmp_path / "releases/site_quay" / object_key(digest)
    whole = file.read_bytes()
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)

    async def ask() -> None:
        with pytest.raises(DamagedObject):
            await memory.read(store, digest)
        file.write_bytes(whole)
        assert (await memory.read(store, digest)).beginning == b"data"

    asyncio.run(ask())


def test_another_file_of_the_same_length_is_no_substitute(tmp_path):
    store = release_store(tmp_path)
    digest = _keep(store, b"data")
    (tmp_path / "releases/site_quay" / object_key(digest)).write_bytes(pack(b"date", compress=False))
    with pytest.raises(DamagedObject):
        object_memory.read_object(store, digest)
