"""The releases of sites as their owners change them: roll back, return to the latest, unpublish."""

from __future__ import annotations

import stat
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO, cast

from msgspec import Struct

from server.control import audit
from server.control.audit import Action, By, Event
from server.control.hosted_sites import HostedSite
from server.control.publish_jobs import stop_all
from server.control.sqlite.database import ControlDatabase
from server.publishing.parts import PublishedFolders
from server.publishing.publish_lock import switch_lock
from server.releases.live_pointer import Pointer
from server.releases.packed_object import is_text
from server.releases.release import Digest, Files, ReleasedFile, ReleaseNotFound, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import find_object, read_part


class SiteReleases(Struct, frozen=True):
    """The releases of all sites. Every method raises StorageError and DamagedRelease."""

    database: ControlDatabase
    folders: PublishedFolders
    clock: Callable[[], float] = time.time

    def pointer(self, site: HostedSite) -> Pointer:
        """Return what readers of a site have."""
        return self._store(site).pointer()

    def list(self, site: HostedSite) -> Sequence[ReleaseRecord]:
        """List the releases of a site, the newest first."""
        store, found = self._store(site), list[ReleaseRecord]()
        for number in store.numbers():
            with suppress(ReleaseNotFound):  # it was swept since it was listed
                found.append(store.get(number))
        return found

    def get(self, site: HostedSite, number: int) -> ReleaseRecord:
        """Return the record of a release. Raises ReleaseNotFound."""
        return self._store(site).get(number)

    def size(self, site: HostedSite, releases: Sequence[ReleaseRecord]) -> int:
        """Return the bytes of all files of these releases, each counted once however many have it."""
        store, sizes = self._store(site), dict[Digest, int]()
        for one in releases:
            with suppress(ReleaseNotFound):
                sizes.update((file.digest, file.size) for file in store.files(one.number).values())
        return sum(sizes.values())

    def export(self, site: HostedSite, number: int) -> Iterator[bytes]:
        """Return the files of a release as a zip, piece by piece. Raises ReleaseNotFound."""
        return release_zip(self._store(site), number)

    def roll_back(self, site: HostedSite, number: int, by: By) -> Pointer:
        """Give readers a former release, until its owner returns to the latest. Raises ReleaseNotFound."""
        return self._change(site, by, "site.roll_back", lambda store, now: store.roll_back(number, now))

    def return_to_latest(self, site: HostedSite, by: By) -> Pointer:
        """Give readers the newest release, and each that comes. Raises ReleaseNotFound without any."""
        return self._change(site, by, "site.return_to_latest", ReleaseStore.return_to_latest)

    def unpublish(self, site: HostedSite, by: By) -> Pointer:
        """Give readers nothing, until the site is published again; what is under way is stopped."""
        return self._change(site, by, "site.unpublish", ReleaseStore.unpublish)

    def _change(
        self, site: HostedSite, by: By, action: Action, change: Callable[[ReleaseStore, int], Pointer]
    ) -> Pointer:
        """Change what readers have, and note who has."""
        now = int(self.clock())
        with switch_lock(self.folders.work(site.id)), self.database.change() as transaction:
            by.check()
            audit.note(transaction, Event(now, site.account, by.actor, action, site.id))
            if action == "site.unpublish":
                stop_all(transaction, site.id, now, "the site was taken offline")
            return change(self._store(site), now)

    def _store(self, site: HostedSite) -> ReleaseStore:
        return self.folders.releases(site.id)


PIECE = 256 * 1024
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_FIRST, _LAST = 315_532_800, 4_354_819_198
"""The times that a zip can tell: from 1980 on, to the end of 2107."""
_LARGE = 1 << 30
"""Bytes from which on the zip is told that a file may need more than 32 bits for its size."""


def release_zip(store: ReleaseStore, number: int) -> Iterator[bytes]:
    """Return the files of a release as a zip, in pieces of which none is empty.

    Raises ReleaseNotFound, DamagedRelease and StorageError before the first piece.
    """
    return _pieces(store, store.files(number), store.get(number).created_at)


class _Written:
    """A file that keeps what is written to it until somebody takes it."""

    def __init__(self) -> None:
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        self._data += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: zipfile asks for it."""

    def take(self, least: int = 1) -> Iterator[bytes]:
        """Yield what was written, if there are so many bytes of it."""
        if len(self._data) >= least:
            yield bytes(self._data)
            self._data.clear()


def _pieces(store: ReleaseStore, files: Files, when: int) -> Iterator[bytes]:
    out = _Written()
    with zipfile.ZipFile(cast(IO[bytes], out), "w") as archive:
        for path, file in sorted(files.items()):
            with archive.open(_info(path, when), "w", force_zip64=file.size >= _LARGE) as target:
                for data in _content(store, file):
                    target.write(data)
                    yield from out.take(PIECE)
    yield from out.take()


def _content(store: ReleaseStore, file: ReleasedFile) -> Iterator[bytes]:
    """Yield the bytes of a file. Raises FileNotFoundError when a sweep has deleted it meanwhile."""
    # Most files are in the first piece: one request for each.
    stored, data = find_object(store.objects, file.digest, PIECE)
    start, left = stored.parts.identity
    data = data[start : start + left]
    while left:
        data = data or read_part(store.objects, stored, start, min(left, PIECE))
        if not data:
            raise EOFError(f"{stored.key} is cut off")
        yield data
        start, left, data = start + len(data), left - len(data), b""


def _info(path: str, when: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, time.gmtime(min(max(when, _FIRST), _LAST))[:6])
    info.compress_type = zipfile.ZIP_DEFLATED if is_text(path) else zipfile.ZIP_STORED
    info.create_system, info.external_attr = _UNIX, _MODE
    return info
