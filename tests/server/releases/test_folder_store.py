"""Objects in a folder: whole or not there, replaced only by who has seen what stands there."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from builder.errors import StorageError
from server.releases.folder_store import FolderStore
from server.releases.object_store import ReplacedMeanwhile


def test_what_is_put_is_read_also_in_parts(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    assert store.read("a/b") is None
    assert not store.has("a/b")
    store.put("a/b", b"0123456789")
    store.sync()
    found = store.read("a/b")
    assert found is not None
    assert found.data == b"0123456789"
    assert found.version == store.version("a/b") != ""
    assert store.read_range("a/b", 3, 4) == b"3456"
    assert store.read_range("a/b", 8, 10) == b"89"


def test_a_file_is_taken_with_its_bytes(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    (tmp_path / "made").write_bytes(b"made")
    store.take("objects/ab/cd", tmp_path / "made")
    assert not (tmp_path / "made").exists()
    assert store.read_range("objects/ab/cd", 0, 9) == b"made"


def test_keys_are_those_below_a_folder(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    assert list(store.keys("a")) == []
    for key in ("a/1", "a/b/2", "c/3", "pointer"):
        store.put(key, b"")
    assert sorted(store.keys("a")) == ["a/1", "a/b/2"]
    store.delete("a/1")
    store.delete("a/1")
    assert sorted(store.keys("a")) == ["a/b/2"]


def test_an_object_is_replaced_by_who_has_seen_it(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    first = store.replace("pointer", b"one", "")
    second = store.replace("pointer", b"two", first)
    for seen in ("", first):
        with pytest.raises(ReplacedMeanwhile):
            store.replace("pointer", b"three", seen)
    found = store.read("pointer")
    assert found is not None
    assert (found.data, found.version) == (b"two", second)


def test_of_many_who_replace_the_same_version_one_does(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    before = store.replace("pointer", b"before", "")
    done = list[int]()
    barrier = threading.Barrier(8)

    def replace(number: int) -> None:
        barrier.wait()
        try:
            store.replace("pointer", b"%d" % number, before)
        except ReplacedMeanwhile:
            return
        done.append(number)

    threads = [threading.Thread(target=replace, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
    found = store.read("pointer")
    assert found is not None
    assert found.data == b"%d" % done[0]


def test_what_a_killed_process_has_left_is_deleted_when_it_is_old(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    store.forget_unfinished()
    store.put("a/b", b"whole")
    new = tmp_path / "store/.new"
    assert list(new.iterdir()) == []
    (new / "old").write_bytes(b"ha")
    (new / "young").write_bytes(b"ha")
    os.utime(new / "old", (0, time.time() - 25 * 3600))
    store.forget_unfinished()
    assert [path.name for path in new.iterdir()] == ["young"]
    assert list(store.keys("")) == ["a/b"]


def test_a_link_in_the_place_of_an_object_is_not_followed(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    store.put("a/b", b"whole")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "store/a/c").symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError):
        store.read("a/c")
    with pytest.raises(StorageError):
        store.read_range("a/c", 0, 6)
