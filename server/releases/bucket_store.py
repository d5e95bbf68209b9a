"""A store of objects in a bucket: uploads go on beside the work, until `sync` waits for all of them.

Each key is an object below a prefix. The store writes an object whole or not at all, and replaces one under a
condition, so that there is nothing to lock. Objects stay for GRACE when nothing names them yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

import obstore

from builder.errors import TwinpressError
from builder.store import failures
from server.releases.bucket import UPLOADS, Bucket, version_of
from server.releases.object_store import ReplacedMeanwhile, StoreAway, Stored

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta

GRACE = 24 * 3600.0
"""Seconds for which an object stays that no release names: a publish may be about to."""
_WAITING = 4 * UPLOADS
"""Objects that wait to be uploaded; whoever puts more waits."""
_LISTED = 1_000
"""Keys in a page of a list."""
_PIECE = 256 * 1024
"""Bytes of an answer that are taken at a time."""
_FEW = 8 * UPLOADS
"""Keys up to which each is asked for. A list costs a request for every thousand objects of the folder."""
MOST_READ = 256 * 1024 * 1024
"""Bytes of an object that is read as a whole: a pointer, the hosts of all sites, the files of a release."""
_PART, _PARTS = 8 * 1024 * 1024, 4
"""Bytes from which on a file is uploaded in parts, and of each; and parts of a file at a time."""


class BucketStore:
    """The objects of a bucket whose keys begin with `prefix`. One thread puts and takes; any may read."""

    def __init__(self, bucket: Bucket, prefix: str = "") -> None:
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._uploads: dict[str, Future[None]] = {}
        self._failed: list[TwinpressError] = []
        self._room = BoundedSemaphore(_WAITING)

    def read(self, key: str) -> Stored | None:
        """Return the object under this key, None where there is none."""
        self.sync()
        try:
            with self._bucket.asking(key):
                return self._read(key)
        except FileNotFoundError:
            return None

    def _read(self, key: str) -> Stored:
        found = obstore.get(self._bucket.read, self._prefix + key)
        return Stored(_collected(found, MOST_READ, key), version_of(found.meta))

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """Return a part of an object; fewer bytes where it ends before. Raises FileNotFoundError."""
        self.sync()
        with self._bucket.asking(key):
            try:
                if length:
                    return self._range(key, start, length)
                self._head(key)
            except obstore.exceptions.GenericError as error:
                # Stores refuse a part that begins where the object has ended.
                if "range" not in str(error).lower() or self._head(key)["size"] > start:
                    raise
            return b""

    def read_ranges(self, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """Return parts of objects, which are asked for together. Raises FileNotFoundError."""
        self.sync()  # in its threads nothing waits for uploads then
        return list(self._bucket.uploads.map(lambda place: self.read_range(*place), places))

    def _range(self, key: str, start: int, length: int) -> bytes:
        part = (start, start + length)
        found = obstore.get(self._bucket.read, self._prefix + key, options={"range": part})
        return _collected(found, length, key)

    def version(self, key: str) -> str:
        """Return the version of the object under this key, "" where there is none: one request."""
        self.sync()
        try:
            with self._bucket.asking(key):
                return version_of(self._head(key))
        except FileNotFoundError:
            return ""

    def has(self, key: str) -> bool:
        """Return whether there is an object under this key, or is just being uploaded."""
        return key in self._uploads or bool(self._there(key))

    def present(self, keys: Collection[str]) -> set[str]:
        """Return those of the keys under which there is an object, or is just being uploaded."""
        wanted = set(keys)
        asked = wanted.difference(self._uploads)
        if len(asked) <= _FEW:
            found = {key for key in self._bucket.uploads.map(self._there, asked) if key}
        else:
            found = asked.intersection(self.keys(_common_folder(asked)))
        return found | (wanted - asked)

    def _there(self, key: str) -> str:
        """Return the key, or "" where there is no object. For any thread."""
        try:
            with self._bucket.asking(key):
                self._head(key)
                return key
        except FileNotFoundError:
            return ""

    def put(self, key: str, data: bytes) -> None:
        """Begin to upload bytes; they are lasting when `sync` has returned."""
        self._begin(key, lambda: self._upload(key, data))

    def take(self, key: str, file: Path) -> None:
        """Begin to upload a file, which is deleted when it is there."""

        def upload() -> None:
            with failures.reading(str(file)):
                self._upload(key, file)
                file.unlink()

        self._begin(key, upload)

    def sync(self) -> None:
        """Wait for all uploads. Raises what the first one that failed has raised, when none is under way."""
        if not self._uploads:
            return
        wait(self._uploads.values())
        failed = self._failed
        self._uploads, self._failed = {}, []
        if failed:
            raise failed[0].with_traceback(None)

    def replace(self, key: str, data: bytes, before: str) -> str:
        """Put the object in the place of its version `before`; return its own, which is lasting."""
        self.sync()
        try:
            return self._replaced(key, data, before)
        except StoreAway:
            # The answer may have been lost, not the request.
            with suppress(FileNotFoundError), self._bucket.writing(key):
                found = self._read(key)
                if found.data == data:
                    return found.version
            raise

    def _replaced(self, key: str, data: bytes, before: str) -> str:
        errors = obstore.exceptions
        try:
            with self._bucket.writing(key):
                return self._bucket.put_if(self._prefix + key, data, before)
        except (errors.AlreadyExistsError, errors.PreconditionError, FileNotFoundError):
            message = "somebody else has changed it meanwhile"
            raise ReplacedMeanwhile(message, path=key, hint="try again") from None

    def keys(self, folder: str) -> Iterator[str]:
        """Yield the keys of all objects below a folder, in no order."""
        return (found["path"].removeprefix(self._prefix) for found in self._list(folder))

    def settled_keys(self, folder: str) -> Iterator[str]:
        """Yield those keys below a folder whose objects have been there for GRACE."""
        youngest = time.time() - GRACE
        for found in self._list(folder):
            if found["last_modified"].timestamp() < youngest:
                yield found["path"].removeprefix(self._prefix)

    def _list(self, folder: str) -> Iterator[ObjectMeta]:
        self.sync()
        with self._bucket.asking(folder):
            place = f"{self._prefix}{folder}".rstrip("/")
            for page in obstore.list(self._bucket.read, place or None, chunk_size=_LISTED):
                yield from page

    def folders(self) -> Sequence[str]:
        """List the names of the folders of the store, as far as objects are in them."""
        with self._bucket.asking(""):
            place = self._prefix.rstrip("/") or None
            found = obstore.list_with_delimiter(self._bucket.read, place)
        return [folder.removeprefix(self._prefix) for folder in found["common_prefixes"]]

    def delete(self, *keys: str) -> None:
        """Delete objects, a thousand a request, as far as they are there."""
        self.sync()
        for start in range(0, len(keys), _LISTED):
            some = [self._prefix + key for key in keys[start : start + _LISTED]]
            with self._bucket.writing(keys[start]):
                try:
                    obstore.delete(self._bucket.write, some)
                except FileNotFoundError:
                    continue  # of those stores that tell; others have been deleted all the same

    def forget_unfinished(self, age: float) -> None:
        """Do nothing: the store shows no object before it is whole."""

    def _begin(self, key: str, upload: Callable[[], None]) -> None:
        """Have a thread do an upload, unless an earlier one has failed; waits where many wait already."""
        failed, room = self._failed, self._room

        def run() -> None:
            try:
                if failed:
                    raise failed[0]  # the store is not asked for each of thousands in vain
                upload()
            except TwinpressError as error:
                failed.append(error)
                raise
            finally:
                room.release()

        room.acquire()
        self._uploads[key] = self._bucket.uploads.submit(run)

    def _upload(self, key: str, data: bytes | Path) -> None:
        with self._bucket.writing(key):
            obstore.put(
                self._bucket.write, self._prefix + key, data, chunk_size=_PART, max_concurrency=_PARTS
            )

    def _head(self, key: str) -> ObjectMeta:
        return obstore.head(self._bucket.read, self._prefix + key)


def _collected(found: GetResult, most: int, key: str) -> bytes:
    """Return the bytes of an answer, which are not taken on trust. Raises StoreAway where there are more."""
    start, end = found.range
    pieces, left = list[bytes](), most
    if end - start <= most:
        for piece in found.stream(_PIECE):
            left -= len(piece)
            if left < 0:
                break
            pieces.append(bytes(piece))
        else:
            return b"".join(pieces)
    raise StoreAway(f"the store answers with more bytes than {most:,}", path=key)


def _common_folder(keys: Collection[str]) -> str:
    """Return the folder in which all keys are, "" where there is none but the whole store."""
    first, last = min(keys).split("/")[:-1], max(keys).split("/")[:-1]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "/".join(pair[0] for pair in same)
