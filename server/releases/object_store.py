"""The protocol of a store of objects: bytes under keys, of which one kind is replaced and all others stay.

Keys are relative paths with forward slashes. A folder is the default; a bucket of somebody else does the same
over a network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from builder.errors import StorageError, TwinpressError


class Stored(Struct, frozen=True):
    """An object as it was read; `version` tells it from the same key's object before and after."""

    data: bytes
    version: str


class ReplacedMeanwhile(TwinpressError):
    """Somebody else has replaced the object since it was read."""


class StoreAway(StorageError):
    """The store does not answer just now; what was read of it before is all that there is."""


class ObjectStore(Protocol):
    """Bytes under keys. Every method raises StorageError when the store refuses, StoreAway without it."""

    def read(self, key: str) -> Stored | None:
        """Return the object under this key, None where there is none."""

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """Return a part of an object; fewer bytes where it ends before. Raises FileNotFoundError."""

    def read_ranges(self, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """Return parts of objects, each by key, start and length: all in little more time than one."""

    def version(self, key: str) -> str:
        """Return the version of the object under this key, "" where there is none; cheap to ask for."""

    def has(self, key: str) -> bool:
        """Return whether there is an object under this key."""

    def present(self, keys: Collection[str]) -> set[str]:
        """Return those of the keys under which there is an object, as cheaply as that can be said of all."""

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, whole or not at all; they are lasting when `sync` has returned."""

    def take(self, key: str, file: Path) -> None:
        """Keep a file's bytes under a key; the file is gone when `sync` has returned."""

    def sync(self) -> None:
        """Return when all that was put and taken is lasting."""

    def replace(self, key: str, data: bytes, before: str) -> str:
        """Put the object in the place of its version `before` ("" for none); return its own version.

        It is lasting. Raises ReplacedMeanwhile where another version stands there.
        """

    def keys(self, folder: str) -> Iterator[str]:
        """Yield the keys of all objects below a folder, in no order."""

    def settled_keys(self, folder: str) -> Iterator[str]:
        """Yield those keys below a folder whose objects nobody can have put for what is not yet named."""

    def delete(self, *keys: str) -> None:
        """Delete objects, as far as they are there."""

    def forget_unfinished(self, age: float) -> None:
        """Delete what killed processes have left, whose writing began `age` seconds ago or longer; cheap."""
