"""The stores of all sites: one for each, and one for what belongs to all of them.

They are in a folder of the service's data, in which each site has a folder with its id, or in a bucket.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from server.releases.bucket_address import InvalidBucket
from server.releases.folder_store import FolderStore
from server.releases.object_store import ObjectStore

RELEASES = "releases"
"""The folder in the service's data folder."""
SITE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


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
                each.name for each in self._folder.iterdir() if SITE_ID.fullmatch(each.name) and each.is_dir()
            ]
        return []

    def delete(self, id: str) -> None:
        """Delete the folder of a site."""
        shutil.rmtree(self._folder / id, ignore_errors=True)


def readers_stores(releases: str, data: Path) -> SiteStores:
    """Return the stores as readers have them: in the bucket at an address, or in the folder of the data.

    Raises InvalidBucket.
    """
    if not releases:
        return FolderSites(data / RELEASES)
    return _buckets(releases).readers_bucket(releases)


def service_stores(releases: str, data: Path, service: str) -> SiteStores:
    """Return the stores for the service with this id, which alone writes to them.

    Raises StorageError, and InvalidBucket where a bucket cannot hold releases, or has another service's.
    """
    if not releases:
        return FolderSites(data / RELEASES)
    return _buckets(releases).service_bucket(releases, service)


class _Buckets(Protocol):
    def readers_bucket(self, releases: str) -> SiteStores: ...
    def service_bucket(self, releases: str, service: str) -> SiteStores: ...


def _buckets(releases: str) -> _Buckets:
    """Load what speaks to buckets, with the package of an extra that it needs."""
    if find_spec("obstore") is None:
        message = f"{releases} needs a package that is not installed: obstore"
        raise InvalidBucket(message, hint="pip install 'twinpress[host,objects]'")
    from server.releases import bucket_sites  # noqa: PLC0415 - of an extra, and slow to load

    return bucket_sites
