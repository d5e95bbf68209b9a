"""A release is exported as a zip in pieces: the same each time, and never half of one that looks whole."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from pathlib import Path

import pytest

from server.publishing.site_releases import PIECE, release_zip
from server.releases.folder_store import FolderStore
from server.releases.packed_object import is_text, pack
from server.releases.release import ReleasedFile, ReleaseNotFound, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import object_key

FILES = {
    "index.html": b"<h1>Boats</h1>" * 100,
    "_tp/größe.bin": os.urandom(3 * PIECE + 1),
    "empty.txt": b"",
    "docs/a b.md": b"# A\n",
}


@pytest.fixture
def store(tmp_path: Path) -> ReleaseStore:
    """The releases of a site that has one."""
    found, files = ReleaseStore(FolderStore(tmp_path)), dict[str, ReleasedFile]()
    for name, data in FILES.items():
        digest = hashlib.sha256(data).digest()
        found.keep(digest, pack(data, compress=is_text(name)))
        files[name] = ReleasedFile(digest, len(data))
    found.add(ReleaseRecord(1, 1_700_000_000, "me", "free", "0", 1, len(files), 1), files, {})
    return found


def test_a_zip_has_every_file_and_comes_in_small_pieces(store: ReleaseStore) -> None:
    pieces = list(release_zip(store, 1))
    assert all(pieces)
    assert max(map(len, pieces)) <= 2 * PIECE + 1024
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        assert archive.namelist() == sorted(FILES)
        assert {info.date_time for info in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}
    assert list(release_zip(store, 1)) == pieces


def test_a_release_that_is_not_there_is_said_before_the_first_piece(store: ReleaseStore) -> None:
    with pytest.raises(ReleaseNotFound):
        release_zip(store, 2)


def test_a_zip_breaks_off_when_a_sweep_has_deleted_its_files(store: ReleaseStore) -> None:
    pieces = release_zip(store, 1)
    next(pieces)
    store.objects.delete(object_key(hashlib.sha256(FILES["index.html"]).digest()))
    with pytest.raises(FileNotFoundError):
        list(pieces)
