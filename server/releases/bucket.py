"""A bucket of an object store: how long it is waited for, and what it refuses, in plain words.

The package obstore speaks to S3, Google Cloud Storage and Azure, and takes credentials and endpoints from the
environment, under the names that these services gave them.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import obstore
from msgspec import Struct
from obstore import exceptions, store
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

from builder.errors import StorageError
from server.releases.bucket_address import BucketAddress, InvalidBucket
from server.releases.object_store import StoreAway

if TYPE_CHECKING:
    from obstore import ObjectMeta, PutResult, UpdateVersion
    from obstore.store import ClientConfig, RetryConfig
    from obstore.store import ObjectStore as Client

UPLOADS = 32
"""Objects that are uploaded at a time: each waits for the network most of its time."""
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "GOOGLE_BASE_URL", "AZURE_ENDPOINT")
_MACHINE = re.compile(r"/latest/api/token|/computeMetadata/|/metadata/identity/")
"""Addresses at which a machine of a cloud is asked for its own credentials: the environment has none."""
_NO_CREDENTIALS = "put the credentials of the store into the environment: this machine has none of its own"
_PASSING = ("408", "429")
"""Statuses of clients' faults that are over after a while."""


class StorePatience(Struct, frozen=True):
    """Times in seconds: to connect, for a whole request, and for all of its tries together.

    With a `pause`, nothing is asked for so long after the store was away: whoever reads does not wait again.
    """

    connect: float = 3.0
    request: float = 30.0
    tries: int = 5
    in_all: float = 30.0
    pause: float = 0.0


WRITING = StorePatience(request=60.0, tries=8, in_all=60.0)
READING = StorePatience(request=10.0, tries=3, in_all=10.0, pause=1.0)
ANSWERING = StorePatience(connect=2.0, request=5.0, tries=1, in_all=3.0, pause=1.0)
"""For readers, who wait for each answer."""


class Bucket:
    """A bucket as it is asked. `read` and `write` are clients of obstore, whose keys are without the prefix.

    All uploads together are done by the threads of `uploads`.
    """

    def __init__(self, name: str, read: Client, write: Client, pause: float = 0.0) -> None:
        self.name = name
        self.read = read
        self.write = write
        self.uploads = ThreadPoolExecutor(UPLOADS, "twinpress-uploads")
        self._pause = pause
        self._away = ""
        self._until = 0.0

    @contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """As `writing`; while the store is away, what is to be read is not asked for again and again."""
        self._check_pause(key)
        with self.writing(key):
            yield

    @contextmanager
    def writing(self, key: str) -> Iterator[None]:
        """Refusals of the store become StorageError or StoreAway; FileNotFoundError and conditions pass."""

        away = False
        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as error:
            hint = "look at the credentials in the environment, and at the rights that they have"
            raise StorageError(f"{self.name} refuses: {_said(error)}", path=key, hint=hint) from error
        except exceptions.BaseError as error:
            fault = self._fault(error, key)
            away = isinstance(fault, StoreAway)
            raise fault from error
        finally:
            if not away:
                self._until = 0.0

    def _check_pause(self, key: str) -> None:
        """Raise StoreAway, unless it is time to ask again; of many who want to, one asks."""
        now = time.monotonic()
        if now < self._until:
            raise StoreAway(self._away, path=key)
        if self._until:
            self._until = now + self._pause + ANSWERING.request

    def put_if(self, key: str, data: bytes, before: str) -> str:
        """Put an object in the place of its version `before` ("" for none); return its own version.

        Raises the errors of obstore: one of conditions, or FileNotFoundError, where another stands there.
        """

        if not before:
            return version_of(obstore.put(self.write, key, data, mode="create"))
        try:
            return version_of(obstore.put(self.write, key, data, mode=_update(before)))
        except PreconditionError:
            # Ceph's radosgw compares tags without their quotes, of which those of others are part.
            if '"' not in before or version_of(obstore.head(self.write, key)) != before:
                raise
            return version_of(obstore.put(self.write, key, data, mode=_update(before.replace('"', ""))))

    def _fault(self, error: Exception, key: str) -> StorageError:
        said = _said(error)
        hint = _NO_CREDENTIALS if _MACHINE.search(said) else ""
        status = re.search(r"status code: (4\d\d|501)", said)
        if status and status[1] not in _PASSING:
            return StorageError(f"{self.name} refuses: {said}", path=key, hint=hint)
        self._away = f"{self.name} does not answer: {said}"
        self._until = time.monotonic() + self._pause if self._pause else 0.0
        return StoreAway(self._away, path=key, hint=hint)


def _said(error: Exception) -> str:
    """Return the first line of an error without the queries of addresses, which can hold signatures."""
    line = str(error).strip().partition("\n")[0].partition("<?xml")[0]
    return re.sub(r"\?\S+", "?...", line).rstrip(" :")[:300]


def open_bucket(address: BucketAddress, patience: StorePatience | None = None) -> Bucket:
    """Return the bucket at an address, of which nothing is asked yet; with `patience`, for reading alone.

    Raises InvalidBucket where something in the environment is wrong.
    """
    chosen = patience or READING
    reading = _client(address, chosen)
    writing = reading if patience else _client(address, WRITING)
    return Bucket(str(address), reading, writing, chosen.pause)


def _client(address: BucketAddress, patience: StorePatience) -> Client:

    kinds: dict[str, Callable[..., Client]]
    kinds = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
    options, retries = _options(patience), _retries(patience)
    try:
        return kinds[address.scheme](
            address.bucket, prefix=address.prefix or None, client_options=options, retry_config=retries
        )
    except (exceptions.BaseError, ValueError) as error:
        hint = "look at the environment variables for the store"
        raise InvalidBucket(f"{address} cannot be used: {_said(error)}", hint=hint) from error


def _options(patience: StorePatience) -> ClientConfig:
    plain = any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS)
    return {
        "connect_timeout": timedelta(seconds=patience.connect),
        "timeout": timedelta(seconds=patience.request),
        "allow_http": plain,
        "user_agent": "twinpress",
    }


def _retries(patience: StorePatience) -> RetryConfig:
    return {
        "backoff": {"init_backoff": timedelta(seconds=0.1), "max_backoff": timedelta(seconds=5)},
        "max_retries": patience.tries,
        "retry_timeout": timedelta(seconds=patience.in_all),
    }


def check_conditions(bucket: Bucket) -> None:
    """Try whether the bucket can hold pointers. Raises InvalidBucket, StorageError and StoreAway.

    Two writers must not both replace what they have read: an object is created twice, and replaced twice in
    the place of the same version, of which the store has to refuse the second. Nor may it lead who reads to
    another address, to which obstore would go.
    """
    key = f".probe/{secrets.token_hex(8)}"
    try:
        with bucket.writing(key):
            _try_conditions(bucket, key)
    except FileNotFoundError as error:
        raise InvalidBucket(
            f"{bucket.name} is not there: {_said(error)}", hint="create the bucket"
        ) from error


def _try_conditions(bucket: Bucket, key: str) -> None:

    try:
        made = bucket.put_if(key, b"1", "")
        bucket.put_if(key, b"2", made)
        _check_address(bucket, key)
        for before in ("", made):
            with suppress(AlreadyExistsError, PreconditionError):
                bucket.put_if(key, b"3", before)
                raise _unconditional(bucket)
    except (AlreadyExistsError, PreconditionError, NotImplementedError) as error:
        raise _unconditional(bucket) from error
    finally:
        with suppress(BaseError, FileNotFoundError):
            obstore.delete(bucket.write, key)


class _Stays(HTTPRedirectHandler):
    """Follows no redirect: the answer is what the store has said itself."""

    def redirect_request(self, *_: object) -> None:
        return None


def _check_address(bucket: Bucket, key: str) -> None:
    """Raise InvalidBucket where an object is asked for at an address that leads to another one.

    Asked with an address that obstore has signed; where none can be, or something else is wrong, only obstore
    can ask, and says what it finds. It follows no redirect of what it writes.
    """
    if not isinstance(bucket.write, store.S3Store | store.GCSStore | store.AzureStore):
        return
    with suppress(BaseError, OSError, HTTPException):
        address = obstore.sign(bucket.write, "GET", key, timedelta(minutes=1))
        try:
            build_opener(_Stays).open(address, timeout=READING.request).close()
        except HTTPError as error:
            with error:
                if 300 <= error.code < 400:
                    raise _elsewhere(bucket, error.headers.get("Location", "")) from None


def _elsewhere(bucket: Bucket, location: str) -> InvalidBucket:
    named = urlsplit(location).netloc or "another address"
    message = f"{bucket.name} is not at this endpoint, which leads to {named}"
    return InvalidBucket(message, hint="name the endpoint itself: requests must go nowhere else")


def _unconditional(bucket: Bucket) -> InvalidBucket:
    message = f"{bucket.name} does not keep to the conditions of a request (If-Match, If-None-Match)"
    hint = "two publishes at a time could undo each other: use a store with conditional writes"
    return InvalidBucket(message, hint=hint)


def version_of(found: ObjectMeta | PutResult) -> str:
    """Return the version of an object in one string: stores know it by one of both, or by both."""
    return f"{found['e_tag'] or ''}|{found['version'] or ''}"


def _update(version: str) -> UpdateVersion:
    """Return the condition that an object still has this version."""
    e_tag, _, number = version.rpartition("|")
    found: UpdateVersion = {}
    if e_tag:
        found["e_tag"] = e_tag
    if number:
        found["version"] = number
    return found
