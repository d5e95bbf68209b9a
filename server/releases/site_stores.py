"""The stores of all sites: one for each, and one for what belongs to all of them.

They are in a folder of the service's data, in which each site has a folder with its id, or in a bucket:

    PREFIX/service          the id of the service that writes
    PREFIX/hosts.json       the hosts of all sites
    PREFIX/sites/ID/...     the objects of the site with this id

All below `sites` may be deleted by who does not know it. So no prefix of another service may lead there.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from server.releases.bucket import (
    ANSWERING,
    SITES,
    Bucket,
    InvalidBucket,
    bucket_address,
    check_conditions,
    open_bucket,
)
from server.releases.bucket_store import BucketStore
from server.releases.folder_store import FolderStore
from server.releases.object_store import ObjectStore, ReplacedMeanwhile

RELEASES = "releases"
"""The folder in the service's data folder."""
OWNER = "service"
"""The key of the id of the service to which a bucket belongs."""
_SITE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SiteStores(Protocol):
    """The stores of sites by their ids. A look at one is good for `look` seconds."""

    @property
    def look(self) -> float: ...

    def shared(self) -> ObjectStore:
        """Return the store of what belongs to all sites."""

    def site(self, id: str) -> ObjectStore:
        """Return the store of a site, which may be empty."""

    def ids(self) -> Collection[str]:
        """Return the ids of all sites that have objects. Raises StorageError."""

    def delete(self, id: str) -> None:
        """Delete all objects of a site. Raises StorageError."""


class FolderSites:
    """The stores of sites in a folder, each in one of its own."""

    look = 0.02

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def shared(self) -> ObjectStore:
        """Return the store of what belongs to all sites."""
        return FolderStore(self._folder)

    def site(self, id: str) -> ObjectStore:
        """Return the store of a site, which may be empty."""
        return FolderStore(self._folder / id)

    def ids(self) -> Collection[str]:
        """Return the ids of all sites that have a folder."""
        with suppress(FileNotFoundError):
            return [
                each.name for each in self._folder.iterdir() if _SITE.fullmatch(each.name) and each.is_dir()
            ]
        return []

    def delete(self, id: str) -> None:
        """Delete the folder of a site."""
        shutil.rmtree(self._folder / id, ignore_errors=True)


class BucketSites:
    """The stores of sites in a bucket, each below a prefix of its own."""

    look = 1.0

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def shared(self) -> ObjectStore:
        """Return the store of what belongs to all sites."""
        return BucketStore(self._bucket)

    def site(self, id: str) -> ObjectStore:
        """Return the store of a site, which may be empty."""
        return BucketStore(self._bucket, f"{SITES}/{id}")

    def ids(self) -> Collection[str]:
        """Return the ids of all sites that have objects."""
        return [name for name in BucketStore(self._bucket, SITES).folders() if _SITE.fullmatch(name)]

    def delete(self, id: str) -> None:
        """Delete all objects of a site: the pointer first, so that no reader is led to what is gone."""
        store = self.site(id)
        store.delete("pointer")
        store.delete(*store.keys(""))


def readers_stores(releases: str, data: Path) -> SiteStores:
    """Return the stores as readers have them: in the bucket at an address, or in the folder of the data.

    Raises InvalidBucket.
    """
    if not releases:
        return FolderSites(data / RELEASES)
    return BucketSites(open_bucket(bucket_address(releases), ANSWERING))


def service_stores(releases: str, data: Path, service: str) -> SiteStores:
    """Return the stores for the service with this id, which alone writes to them.

    Raises StorageError, and InvalidBucket where a bucket cannot hold releases, or has another service's.
    """
    if not releases:
        return FolderSites(data / RELEASES)
    bucket = open_bucket(bucket_address(releases))
    check_conditions(bucket)
    _claim(bucket, service.encode())
    return BucketSites(bucket)


def _claim(bucket: Bucket, service: bytes) -> None:
    """Note whose releases these are: whoever deletes what it does not know has to be alone."""
    store = BucketStore(bucket)
    with suppress(ReplacedMeanwhile):
        store.replace(OWNER, service, "")
    found = store.read(OWNER)
    if found is None or found.data != service:
        message = f"{bucket.name} holds the releases of another service"
        raise InvalidBucket(message, hint=f"use another prefix, or delete `{OWNER}` there if it is no more")
