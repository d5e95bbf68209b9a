"""Bounds on what one client of a site may ask for, and on what all of them may have a site become."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

from msgspec import Struct, field

from builder.store.lock import STATE
from server.http.failure import Failure
from server.http.limits import BodyLimits

MIB = 1024 * 1024
OWNERS = 2
"""So many times as much as keys may fill, owners may: they can make room when keys have left none."""
LOOK_AGAIN = 64 * MIB
"""Bytes that are written until all files of a site are counted again."""


class ClientLimits(BodyLimits, frozen=True):
    """`requests` are those a key of each kind may make in a minute; 0 is no limit. `pages` are a site's.

    A key may have `at_once` requests on their way at a time.
    """

    pages: int = 10_000
    at_once: int = 100
    requests: Mapping[str, int] = field(default_factory=lambda: {"one-off": 300, "long-lived": 3_000})


class SiteRoom(Struct, frozen=True):
    """The most bytes that the history of a site, and its files, may have; None is no limit."""

    history_bytes: int | None = None
    file_bytes: int | None = None


NO_LIMIT = SiteRoom()


class RoomCheck:
    """Refuses what is written to the site in the folder `root` when there is no room for it.

    `history_size` gives the bytes of its history. What is deleted is never refused. Other processes count
    for themselves, so a site may become larger by LOOK_AGAIN for each. Safe to use from several threads.
    """

    def __init__(self, root: Path, history_size: Callable[[], int], room: SiteRoom) -> None:
        self._root = root
        self._history_size = history_size
        self._room = room
        self._lock = Lock()
        self._size = 0
        self._since = LOOK_AGAIN

    def take(self, size: int) -> None:
        """Count a write of so many bytes by a key. Raises Failure with STORAGE_FULL, and StorageError."""
        self._take(size, 1, _HISTORY, _FILES)

    def take_as_owner(self, size: int) -> None:
        """The same for a write of the site's owner, who may fill OWNERS times as much."""
        self._take(size, OWNERS, _OWNERS_HISTORY, _OWNERS_FILES)

    def _take(self, size: int, times: int, history: str, files: str) -> None:
        most, most_files = self._room.history_bytes, self._room.file_bytes
        if most is not None and self._history_size() + size > times * most:
            raise Failure("STORAGE_FULL", history.format(most=times * most // MIB))
        if most_files is not None and not self._has_room(size, times * most_files):
            raise Failure("STORAGE_FULL", files.format(most=times * most_files // MIB))

    def _has_room(self, size: int, most: int) -> bool:
        with self._lock:
            self._since += size
            if self._since >= LOOK_AGAIN or self._size + self._since > most:
                self._size, self._since = site_size(self._root)[1], size
            return self._size + self._since <= most


def site_size(root: Path) -> tuple[int, int]:
    """The number of files of a site, and their bytes, without its history."""
    files = size = 0
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name != STATE[0]]
        for name in names:
            with suppress(FileNotFoundError):
                about = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - of twenty thousand files
                files, size = files + 1, size + about.st_size
    return files, size


_HISTORY = (
    "the history of this site has {most:,} MB, which is all that it may have: "
    "its owner can delete old versions in the settings of the site"
)
_FILES = (
    "the files of this site have {most:,} MB, which is all that they may have: delete pages that nobody needs"
)
_OWNERS_HISTORY = (
    "the history of this site has {most:,} MB, twice what it may have: "
    "delete old versions in the settings of the site"
)
_OWNERS_FILES = (
    "the pages and files of this site have {most:,} MB, twice what they may have: "
    "delete some that nobody needs"
)
