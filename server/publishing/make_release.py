"""Make a release of a site: a snapshot of its files, a build, then objects, list and pointer.

The caller holds the site's lock for publishing. A process that is killed at any step leaves readers the
release that they had, or the new one whole.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from builder.plan.addresses import Addresses, read_addresses
from builder.plan.copied_files import LARGE
from builder.plan.site_files import ADDRESSES
from builder.plan.vanished import vanished_addresses
from builder.store import ContentStore
from builder.version import VERSION
from server.control.plans import PlanName
from server.publishing.build_order import FILES, MADE, BuildEvent, BuildLimits, BuildOrder
from server.publishing.publish_lock import switch_lock
from server.publishing.release_addresses import addresses_among, addresses_in
from server.publishing.run_build import BuildFailed, BuildInterrupted, Stop, run_build
from server.publishing.snapshot import SITE, SiteMirror, take_snapshot
from server.publishing.source_digests import forget_record, source_bytes
from server.releases.packed_object import HEAD_BYTES, NoObject, is_text, pack, parts
from server.releases.release import Digest, Files, ReleaseRecord, decode_files
from server.releases.release_store import ReleaseStore
from server.releases.split_object import SplitObject, gathers, known_pieces, split

_PIECE = 1024 * 1024
_MOST_NAMED = 3
"""Addresses that an error names."""


class ReleaseOrder(Struct, frozen=True):
    """A release as it is wanted. `url` is the address at which readers have the site.

    `by` is the actor as the activity has it. With `despite_errors` the site is published whatever is wrong
    with it. With `keeps_addresses` there is no release when addresses of the live one would lead nowhere.
    With `counts_searches` its search tells of what it does not find, with `analytics` its pages may have the
    scripts of statistics. `job` is the number of the wish for it.
    """

    plan: PlanName
    url: str
    by: str
    despite_errors: bool = False
    keeps_addresses: bool = False
    counts_searches: bool = False
    job: int = 0
    analytics: bool = False


class ErrorsFound(BuildFailed):
    """The build has found errors, so that there is no release; `event` has them."""

    def __init__(self, event: BuildEvent) -> None:
        errors = "1 error" if event.errors == 1 else f"{event.errors} errors"
        super().__init__(f"the site has {errors}, so it was not published")
        self.event = event


class AddressesVanish(BuildFailed):
    """Addresses that readers have would lead nowhere, so that there is no release."""

    def __init__(self, addresses: Sequence[str]) -> None:
        shown = ", ".join(
            f"`{address}`" if address.startswith("/") else address for address in addresses[:_MOST_NAMED]
        )
        others = f" and {len(addresses) - _MOST_NAMED} more" if len(addresses) > _MOST_NAMED else ""
        super().__init__(
            f"addresses would lead nowhere: {shown}{others}; add redirects, or publish it yourself"
        )


class ReleaseNews(Struct, frozen=True):
    """The receivers of news: the snapshot, progress, the end of the build, and the number of its files."""

    snapshot: Callable[[SiteMirror], None]
    progress: Callable[[BuildEvent], None]
    built: Callable[[BuildEvent], None]
    moving: Callable[[int], None]


class Made(Struct, frozen=True):
    """A release that is there, and what its build had to say."""

    record: ReleaseRecord
    event: BuildEvent


class Rehearsed(Struct, frozen=True):
    """The end of a build of which nothing is published, and the addresses that readers would have."""

    event: BuildEvent
    addresses: Addresses


class ReleaseMaker(Struct, frozen=True):
    """Makes releases of the site in `store`, in the folder `work`, of which nothing else is made."""

    store: ContentStore
    work: Path
    releases: ReleaseStore
    clock: Callable[[], float]
    limits: BuildLimits = BuildLimits()

    def make(self, wanted: ReleaseOrder, audience: ReleaseNews, stop: Stop) -> Made:
        """Make a release, and return it. Raises BuildFailed, ErrorsFound, StorageBusy and StorageError."""
        snapshot = take_snapshot(self.store, self.work)
        audience.snapshot(snapshot)
        event, files = self._build(wanted, audience, stop, fresh=False)
        if event.errors and not wanted.despite_errors:
            raise ErrorsFound(event)
        audience.built(event)
        there = self.releases.digests()
        if not self._take_over(files, there, audience):
            # An object of an earlier build is gone, as no release has come of it, so all are made.
            self.releases.objects.sync()
            event, files = self._build(wanted, audience, stop, fresh=True)
            if not self._take_over(files, there, audience):
                raise BuildInterrupted("files of the build are missing; try again")
        if wanted.keeps_addresses:
            self._check_addresses(files)
        keep_sources(self.work, snapshot.sources, self.releases, there)
        self.releases.objects.sync()
        with switch_lock(self.work):  # whoever takes the site offline stops this first, or comes after it
            stop.check()
            record = self._record(wanted, event, files)
            self.releases.add(record, files, snapshot.sources)
        return Made(record, event)

    def rehearse(self, wanted: ReleaseOrder, audience: ReleaseNews, stop: Stop) -> Rehearsed:
        """Build the site as it would be published, and publish nothing; the next release is made of it.

        Raises BuildFailed, StorageBusy and StorageError.
        """
        audience.snapshot(take_snapshot(self.store, self.work))
        for fresh in (False, True):  # an object of an earlier build may be gone: then all are made
            event, files = self._build(wanted, audience, stop, fresh=fresh)
            file = files.get(ADDRESSES)
            data = made_data(self.work / MADE, file.digest, self.releases) if file else None
            if data is not None:
                return Rehearsed(event, read_addresses(data.decode()))
        raise BuildInterrupted("files of the build are missing; try again")

    def _build(
        self, wanted: ReleaseOrder, audience: ReleaseNews, stop: Stop, *, fresh: bool
    ) -> tuple[BuildEvent, Files]:
        order = BuildOrder(
            folder=str(self.work),
            plan=wanted.plan,
            url=wanted.url,
            memory=self.limits.memory,
            fresh=fresh,
            counts_searches=wanted.counts_searches,
            analytics=wanted.analytics,
        )
        event = run_build(order, audience.progress, stop, self.limits.seconds)
        return event, decode_files((self.work / FILES).read_bytes())

    def _take_over(self, files: Files, there: set[Digest], audience: ReleaseNews) -> bool:
        """Take the objects that the build has made to those that are `there`; False when one is missing."""
        audience.moving(len(files))
        missing = {file.digest for file in files.values()} - there
        gathering = {file.digest for path, file in files.items() if gathers(path, file.size)} & missing
        taken = split_texts(self.work / MADE, gathering, self.releases)
        taken |= take_over(self.work / MADE, missing - gathering, self.releases)
        there |= taken
        return taken == missing

    def _check_addresses(self, files: Files) -> None:
        """Raise AddressesVanish where readers of the live release would find less than they have now."""
        live = self.releases.pointer().live
        if live:
            before, now = addresses_in(self.releases, live), addresses_among(self.releases, files)
            if lost := vanished_addresses(before, now):
                raise AddressesVanish([each.shown for each in lost])

    def _record(self, wanted: ReleaseOrder, event: BuildEvent, files: Files) -> ReleaseRecord:
        return ReleaseRecord(
            number=self.releases.next_number(),
            created_at=int(self.clock()),
            by=wanted.by,
            plan=wanted.plan,
            version=VERSION,
            pages=event.pages,
            files=len(files),
            size=sum(file.size for file in files.values()),
            errors=event.errors,
            warnings=event.warnings,
            url=wanted.url,
            job=wanted.job,
            counts_searches=wanted.counts_searches,
        )


def keep_sources(work: Path, sources: Files, releases: ReleaseStore, there: Collection[Digest]) -> None:
    """Keep those sources as objects that are not `there` yet. Raises BuildFailed and StorageError.

    They are read from the mirror, into which the process that has built the site could have written.
    """
    missing = {file.digest: path for path, file in sources.items() if file.digest not in there}
    mirror = os.open(work / SITE, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for digest, path in missing.items():
            data = source_bytes(mirror, path, LARGE) or b""
            if hashlib.sha256(data).digest() != digest:
                forget_record(work)
                raise BuildInterrupted("the copy of the site has changed while it was built; try again")
            releases.keep(digest, pack(data, compress=is_text(path)))
    finally:
        os.close(mirror)


def split_texts(made: Path, wanted: Collection[Digest], releases: ReleaseStore) -> set[Digest]:
    """Keep those made texts in pieces, of which the newest release has most, and return their digests."""
    known = releases.latest_pieces() if wanted else {}
    found = dict[Digest, SplitObject]()
    for digest in wanted:
        place = str(made / digest.hex())
        if os.path.lexists(place):
            with _opened(place) as (file, length):
                same, text = split(file, length, known, releases.objects.put) if file else (b"", None)
            if text and same == digest:
                found[digest] = text
                known |= known_pieces([text])
    releases.keep_split(found)
    return set(found)


def take_over(made: Path, missing: Collection[Digest], releases: ReleaseStore) -> set[Digest]:
    """Take those made objects to the releases that are missing there, and return them; delete all others.

    Each is looked at first: the process that made it has rendered pages of strangers.
    """
    taken = set[Digest]()
    with os.scandir(made) as entries:
        for entry in entries:
            digest = _digest(entry.name)
            if digest not in missing or content_digest(entry.path) != digest:
                os.unlink(entry.path)  # noqa: PTH108 - of a scan
            else:
                releases.take(digest, Path(entry.path))
                taken.add(digest)
    return taken


def made_data(made: Path, digest: Digest, releases: ReleaseStore) -> bytes | None:
    """Return the bytes of a text that the build has made, now or for a release; None where they are gone."""
    place = made / digest.hex()
    if not os.path.lexists(place) or content_digest(str(place)) != digest:
        return releases.data(digest, LARGE)
    data = place.read_bytes()
    start, length = parts(data[:HEAD_BYTES]).identity
    return data[start : start + length]


def content_digest(path: str) -> Digest:
    """Return the digest of the bytes that a made object holds; an empty one for what is none."""
    with _opened(path) as (file, length):
        if not file:
            return b""
        found, left = hashlib.sha256(), length
        while left and (piece := file.read(min(left, _PIECE))):
            found.update(piece)
            left -= len(piece)
        return found.digest()


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO | None, int]]:
    """A made object where its bytes begin, and their number; no file for what is no object."""
    if not stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode):  # noqa: PTH116 - of a scan
        yield None, 0
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        try:
            places = parts(file.read(HEAD_BYTES))
        except NoObject:
            yield None, 0
        else:
            is_whole = os.fstat(descriptor).st_size == sum(places.brotli)
            yield (file, places.identity[1]) if is_whole else (None, 0)


def _digest(name: str) -> Digest:
    try:
        return bytes.fromhex(name)
    except ValueError:
        return b""
