"""The contract of stores of objects, held by a folder and by buckets alike."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from server.releases.bucket import Bucket, check_conditions, open_bucket
from server.releases.bucket_address import bucket_address
from server.releases.bucket_store import BucketStore
from server.releases.folder_store import FolderStore
from server.releases.object_store import ObjectStore, ReplacedMeanwhile
from tests.server.releases.small_s3 import ADDRESS, environment

Another = Callable[[], ObjectStore]
"""Gives a store of the same objects, as another process has it."""


def _folder(request: pytest.FixtureRequest) -> Another:
    folder = request.getfixturevalue("tmp_path") / "store"
    return lambda: FolderStore(folder)


def _memory(_request: pytest.FixtureRequest) -> Another:
    memory = MemoryStore()
    bucket = Bucket("memory", memory, memory)
    return lambda: BucketStore(bucket, "site_1")


def _small(request: pytest.FixtureRequest) -> Another:
    request.getfixturevalue("s3")
    bucket = open_bucket(bucket_address(ADDRESS))
    return lambda: BucketStore(bucket, "site_1")


def _moto(request: pytest.FixtureRequest) -> Another:
    return _at(request.getfixturevalue("moto"))


def _ceph(request: pytest.FixtureRequest) -> Another:
    return _at(request.getfixturevalue("ceph"))


def _at(port: int) -> Another:
    with environment(port):
        bucket = open_bucket(bucket_address(f"{ADDRESS}/{uuid.uuid4().hex}"))
    return lambda: BucketStore(bucket, "site_1")


STORES = {"folder": _folder, "memory": _memory, "small": _small, "moto": _moto, "ceph": _ceph}
SLOW = {"ceph"}
"""Those whose server takes long to start."""


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in STORES])
def another(request: pytest.FixtureRequest) -> Another:
    """A store of each kind."""
    return STORES[request.param](request)


@pytest.fixture
def store(another: Another) -> ObjectStore:
    return another()


def test_what_is_put_is_read_also_in_parts(store: ObjectStore, another: Another) -> None:
    assert store.read("a/b") is None
    assert not store.has("a/b")
    assert store.version("a/b") == ""
    store.put("a/b", b"0123456789")
    assert store.has("a/b")
    store.sync()
    for each in (store, another()):
        found = each.read("a/b")
        assert found is not None
        assert found.data == b"0123456789"
        assert found.version == each.version("a/b") != ""


PARTS = {
    "within": (3, 4, b"3456"),
    "to the end": (8, 10, b"89"),
    "all": (0, 100, b"0123456789"),
    "none": (2, 0, b""),
    "from the end": (10, 4, b""),
    "behind it": (12, 4, b""),
}


@pytest.mark.parametrize(("start", "length", "expected"), PARTS.values(), ids=PARTS)
def test_a_part_ends_where_the_object_does(
    store: ObjectStore, start: int, length: int, expected: bytes
) -> None:
    store.put("a/b", b"0123456789")
    assert store.read_range("a/b", start, length) == expected


def test_parts_of_several_objects_come_in_the_order_in_which_they_are_asked_for(store: ObjectStore) -> None:
    keys = [f"pieces/{number:02}" for number in range(40)]
    for key in keys:
        store.put(key, key.encode() * 2)
    places = [(key, 7, 4 + number % 3) for number, key in enumerate(keys)]
    assert store.read_ranges(places) == [store.read_range(*place) for place in places]
    assert store.read_ranges([]) == []
    with pytest.raises(FileNotFoundError):
        store.read_ranges([*places, ("pieces/none", 0, 1)])


def test_an_empty_object_is_there(store: ObjectStore) -> None:
    store.put("a/b", b"")
    assert store.has("a/b")
    assert store.read_range("a/b", 0, 10) == b""
    found = store.read("a/b")
    assert found is not None
    assert found.data == b""


@pytest.mark.parametrize("length", [0, 4])
def test_of_an_object_that_is_not_there_there_is_no_part(store: ObjectStore, length: int) -> None:
    with pytest.raises(FileNotFoundError):
        store.read_range("a/b", 0, length)


@pytest.mark.parametrize("size", [4, 20_000_000])
def test_a_file_is_taken_with_its_bytes(
    store: ObjectStore, another: Another, tmp_path: Path, size: int
) -> None:
    data = os.urandom(size)
    (tmp_path / "made").write_bytes(data)
    store.take("objects/ab/cd", tmp_path / "made")
    assert store.has("objects/ab/cd")
    store.sync()
    assert not (tmp_path / "made").exists()
    found = another().read("objects/ab/cd")
    assert found is not None
    assert found.data == data


def test_keys_are_those_below_a_folder(store: ObjectStore) -> None:
    assert list(store.keys("a")) == []
    for key in ("a/1", "a/b/2", "ab/3", "c/3", "pointer"):
        store.put(key, b"")
    assert sorted(store.keys("a")) == ["a/1", "a/b/2"]
    assert sorted(store.keys("")) == ["a/1", "a/b/2", "ab/3", "c/3", "pointer"]
    store.delete("a/1", "c/3")
    store.delete("a/1")
    store.delete()
    assert sorted(store.keys("a")) == ["a/b/2"]
    assert sorted(store.keys("")) == ["a/b/2", "ab/3", "pointer"]


@pytest.mark.parametrize("count", [3, 1_100])
def test_of_many_keys_those_that_are_there_are_said(store: ObjectStore, another: Another, count: int) -> None:
    keys = [f"objects/{number % 256:02x}/{number:064x}" for number in range(count)]
    for key in keys[::2]:
        store.put(key, b"x")
    assert store.present(keys) == set(keys[::2])
    store.sync()
    assert another().present(keys) == set(keys[::2])
    assert another().present([]) == set()
    assert sorted(another().keys("objects")) == sorted(keys[::2])
    store.delete(*keys)
    assert another().present(keys) == set()


def test_an_object_is_replaced_by_who_has_seen_it(store: ObjectStore, another: Another) -> None:
    first = store.replace("pointer", b"one", "")
    second = another().replace("pointer", b"two", first)
    for seen in ("", first):
        with pytest.raises(ReplacedMeanwhile):
            store.replace("pointer", b"three", seen)
    with pytest.raises(ReplacedMeanwhile):
        store.replace("other", b"three", second)
    found = store.read("pointer")
    assert found is not None
    assert (found.data, found.version) == (b"two", second)


@pytest.mark.parametrize("before", [b"", b"before"])
def test_of_many_who_replace_the_same_version_one_does(
    request: pytest.FixtureRequest, another: Another, before: bytes
) -> None:
    if "moto" in request.node.name:
        pytest.skip("moto looks at conditions and writes then, without a lock")
    seen = another().replace("pointer", before, "") if before else ""
    done = list[int]()
    barrier = threading.Barrier(8)

    def replace(number: int) -> None:
        store = another()
        barrier.wait()
        try:
            store.replace("pointer", b"%d" % number, seen)
        except ReplacedMeanwhile:
            return
        done.append(number)

    threads = [threading.Thread(target=replace, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
    found = another().read("pointer")
    assert found is not None
    assert found.data == b"%d" % done[0]


def test_each_passes_the_probe(another: Another) -> None:
    store = another()
    if isinstance(store, BucketStore):
        check_conditions(store._bucket)
        assert list(store.keys("")) == []
