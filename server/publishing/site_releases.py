"""The releases of sites as their owners change them: roll back, return to the latest, unpublish."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from server.control import audit
from server.control.audit import Action, By, Event
from server.control.hosted_sites import HostedSite
from server.control.sqlite.database import ControlDatabase
from server.publishing.publish_lock import switch_lock
from server.publishing.publisher import PublishedFolders
from server.releases.live_pointer import Pointer
from server.releases.release import Digest, ReleaseNotFound, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.release_zip import release_zip


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
        """Give readers nothing, until the site is published again."""
        return self._change(site, by, "site.unpublish", ReleaseStore.unpublish)

    def _change(
        self, site: HostedSite, by: By, action: Action, change: Callable[[ReleaseStore, int], Pointer]
    ) -> Pointer:
        """Change what readers have, and note who has."""
        now = int(self.clock())
        with switch_lock(self.folders.work(site.id)), self.database.change() as transaction:
            by.check()
            audit.note(transaction, Event(now, site.account, by.actor, action, site.id))
            return change(self._store(site), now)

    def _store(self, site: HostedSite) -> ReleaseStore:
        return self.folders.releases(site.id)
