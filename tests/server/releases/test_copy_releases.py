"""Copies of releases from a folder to a bucket and back: all that is whole, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.control.sqlite.data_folder import open_data
from server.releases.hosts import read_hosts
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import FolderSites, readers_stores
from tests.server.commands import twinpress
from tests.server.releases.small_s3 import ADDRESS, SmallS3
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store

FILES = {"index.html": b"start", "docs/a.html": b"page a " * 100}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data of a service with a site that was published twice."""
    open_data(tmp_path).close()
    mount(tmp_path, {HOST: SITE})
    publish(release_store(tmp_path), FILES)
    publish(release_store(tmp_path), FILES | {"index.html": b"again"})
    return tmp_path


def test_releases_are_copied_there_and_back(data: Path, s3: SmallS3) -> None:
    def copy(to: str, *options: str) -> str:
        result = twinpress("admin", "--data", data, "releases", "copy", to, *options, cwd=data)
        assert result.returncode == 0, result.stderr
        return result.stderr

    assert "Releases of 1 sites are in s3://docs/twinpress now; 3 files were new there" in copy(ADDRESS)
    stores = readers_stores(ADDRESS, data)
    there, here = ReleaseStore(stores.site(SITE)), release_store(data)
    assert there.pointer() == here.pointer()
    assert [there.get(number) for number in (1, 2)] == [here.get(number) for number in (1, 2)]
    assert there.data(there.files(2)["docs/a.html"].digest, 1000) == FILES["docs/a.html"]
    assert read_hosts(stores.shared()) == read_hosts(FolderSites(data / "releases").shared())
    assert "0 files were new" in copy(ADDRESS)
    publish(here, FILES | {"index.html": b"a third time"})
    assert "1 files were new" in copy(ADDRESS)
    assert there.pointer().live == 3
    (data / "releases").rename(data / "former")
    assert "4 files were new" in copy("folder", "--releases", ADDRESS)
    assert release_store(data).pointer() == there.pointer()
    assert release_store(data).numbers() == [3, 2, 1]


def test_a_damaged_file_is_told_and_not_copied(data: Path, s3: SmallS3) -> None:
    digest = release_store(data).files(2)["docs/a.html"].digest.hex()
    file = data / "releases" / SITE / "objects" / digest[:2] / digest
    file.write_bytes(file.read_bytes().replace(b"page", b"pane"))
    result = twinpress("admin", "--data", data, "releases", "copy", ADDRESS, cwd=data)
    assert result.returncode == 1
    assert f"Damaged, and not copied: {SITE}/objects/{digest[:2]}/{digest}" in result.stderr
    assert not s3.keys(f"sites/{SITE}/objects/{digest[:2]}/{digest}")


def test_a_copy_to_where_they_are_is_refused(data: Path) -> None:
    result = twinpress("admin", "--data", data, "releases", "copy", "folder", cwd=data)
    assert result.returncode == 2
    assert "are in `folder` already" in result.stderr
