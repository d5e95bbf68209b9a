"""The stores of sites in a bucket, each below a prefix of its own.

    PREFIX/service          the id of the service that writes
    PREFIX/hosts.json       the hosts of all sites
    PREFIX/sites/ID/...     the objects of the site with this id

All below `sites` may be deleted by who does not know it. So no prefix of another service may lead there.

Apart from `site_stores`, as it needs the packages of an extra.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from server.releases.bucket import ANSWERING, Bucket, check_conditions, open_bucket
from server.releases.bucket_address import SITES, InvalidBucket, bucket_address
from server.releases.bucket_store import BucketStore
from server.releases.object_store import ObjectStore, ReplacedMeanwhile
from server.releases.site_stores import SITE_ID

OWNER = "service"
"""The key of the id of the service to which a bucket belongs."""


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
        return [name for name in BucketStore(self._bucket, SITES).folders() if SITE_ID.fullmatch(name)]

    def delete(self, id: str) -> None:
        """Delete all objects of a site: the pointer first, so that no reader is led to what is gone."""
        store = self.site(id)
        store.delete("pointer")
        store.delete(*store.keys(""))


def readers_bucket(releases: str) -> BucketSites:
    """Return the stores in the bucket at an address, for reading alone. Raises InvalidBucket."""
    return BucketSites(open_bucket(bucket_address(releases), ANSWERING))


def service_bucket(releases: str, service: str) -> BucketSites:
    """Return the stores in a bucket for the service with this id, which alone writes to them.

    Raises StorageError, and InvalidBucket where it cannot hold releases, or has another service's.
    """
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
