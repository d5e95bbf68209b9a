"""A folder as a store of objects, where it differs from others; the contract is in test_object_store."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from builder.errors import StorageError
from server.releases.folder_store import FolderStore


def test_what_a_killed_process_has_left_is_deleted_when_it_is_old(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    store.forget_unfinished(24 * 3600)
    store.put("a/b", b"whole")
    new = tmp_path / "store/.new"
    assert list(new.iterdir()) == []
    (new / "old").write_bytes(b"ha")
    (new / "young").write_bytes(b"ha")
    os.utime(new / "old", (0, time.time() - 25 * 3600))
    store.forget_unfinished(24 * 3600)
    assert [path.name for path in new.iterdir()] == ["young"]
    store.forget_unfinished(0)
    assert list(new.iterdir()) == []
    assert list(store.keys("")) == ["a/b"]


def test_no_empty_folder_stays_where_objects_were(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    for key in ("a/b", "a/c", "d/e", "pointer"):
        store.put(key, b"x")
    store.delete("a/b", "d/e")
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == [".new", "a", "pointer"]
    store.delete("a/c", "pointer")
    store.put("a/b", b"again")
    assert store.has("a/b")


def test_a_link_in_the_place_of_an_object_is_not_followed(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    store.put("a/b", b"whole")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "store/a/c").symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError):
        store.read("a/c")
    with pytest.raises(StorageError):
        store.read_range("a/c", 0, 6)
