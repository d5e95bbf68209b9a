"""Packs in a bucket of an object store, asked by obstore."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import obstore
from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

from builder.cache.errands import StoreRefused
from builder.cache.packs import MOST_BYTES
from builder.errors import StorageError
from server.releases.bucket import StorePatience, open_bucket
from server.releases.bucket_address import BucketAddress

PATIENCE = StorePatience(connect=2.0, request=10.0, tries=1, in_all=10.0)
"""A build can go on without a cache: it does not wait long for one."""


class PackBucket:
    """Packs as objects below the address of a bucket; credentials are those of the environment."""

    def __init__(self, address: BucketAddress) -> None:
        self._prefix = ""
        self._bucket = open_bucket(address, PATIENCE)

    @property
    def name(self) -> str:
        """The address."""
        return self._bucket.name

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none. Raises StorageError."""
        try:
            with self._told(), self._bucket.asking(name):
                found = obstore.get(self._bucket.read, name)
                if found.meta["size"] > MOST_BYTES:
                    raise StorageError(f"an object of more than {MOST_BYTES // 1024 // 1024} MB is no pack")
                return bytes(found.bytes())
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Put a pack in its place. Raises StorageError."""
        try:
            with self._told(), self._bucket.writing(name):
                obstore.put(self._bucket.write, name, data)
        except FileNotFoundError as error:
            raise StorageError(f"{self.name} is not there", hint="create the bucket") from error

    def leave(self, prefix: str) -> None:
        """Nothing to tidy: a prefix without packs is not there."""

    def remove(self, name: str) -> None:
        """Remove a pack, if it is there. Raises StorageError."""
        try:
            with self._told(), self._bucket.writing(name):
                obstore.delete(self._bucket.write, name)
        except FileNotFoundError:
            return

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what a credential may not do from what cannot be done. Raises StorageError."""
        try:
            yield
        except StorageError as error:
            is_refused = isinstance(error.__cause__, PermissionDeniedError | UnauthenticatedError)
            message = error.message.removeprefix(f"{self.name} ")
            raise (StoreRefused if is_refused else StorageError)(message, hint=error.hint) from error
