"""The changes of a site that readers do not have yet: its files now, compared with the live release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from builder import paths
from builder.digests import digest
from builder.errors import StorageError
from builder.plan.addresses import Addresses, addresses_of
from builder.plan.layout import Layout, lay_out
from builder.plan.redirects import encoded
from builder.plan.vanished import VanishedAddress, vanished_addresses
from builder.site import Site, shown_page
from builder.store import Source, failures
from builder.store.names import is_content
from server.history import History, Revision, page_of
from server.publishing.release_addresses import FormerAddresses, addresses_in
from server.publishing.source_changes import (
    ChangedFile,
    Digests,
    Kind,
    ShownPages,
    SourceChange,
    What,
    moves_of,
    source_changes,
)
from server.publishing.source_digests import HashedSources, source_bytes, sources_now
from server.releases.release import ReleasedFile
from server.releases.release_store import ReleaseStore

LONGEST_TEXT = 256 * 1024
"""Bytes of a file that is shown as a text."""
LOOKED_AT = 1_000
"""Changes of the site's history that are looked at, the last ones."""
_EARLIER = 900
"""Seconds before a release in which its sources may have been copied."""
_MOST_TITLES = 200
"""Removed pages whose former titles are looked up."""


class PendingSource(Struct, frozen=True):
    """The places of a hosted site: its folder and history, its releases, the folder in which it is built."""

    root: Path
    history: History
    releases: ReleaseStore
    work: Path


class PendingChange(Struct, frozen=True):
    """A change that readers do not have yet.

    `path` is a page's content path, a category's folder, or the file; `former` what it was, of what has
    moved. `title` is a page's. `revision` is the last one of the history that touched it, None where that
    knows none; `when` is its time, or else that of the file, in seconds since 1970, 0 where nobody knows.
    """

    kind: Kind
    what: What
    path: str
    former: str
    title: str
    files: tuple[ChangedFile, ...]
    revision: Revision | None
    when: int


class LeftOutDraft(Struct, frozen=True):
    """A draft, which is not published."""

    path: str
    title: str


class PendingChanges(Struct, frozen=True):
    """All that readers do not have yet; `live` is the number of the release that they have, 0 for none.

    `vanished` are addresses of that release that would lead nowhere, and `moved` says of former addresses of
    pages where these are now. `mark` names this state of release and files. `fault` says why the history may
    not know the last changes, if so. `left_out` are files whose names are not UTF-8, which are not published.
    """

    live: int
    changes: tuple[PendingChange, ...]
    drafts: tuple[LeftOutDraft, ...]
    vanished: tuple[VanishedAddress, ...]
    moved: Mapping[str, str]
    mark: bytes
    fault: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if readers have the site as it is, but for its drafts."""
        return not self.changes and self.live > 0

    def count(self, kind: Kind, what: What | None = None) -> int:
        """Count the changes of a kind."""
        return sum(each.kind == kind and what in (None, each.what) for each in self.changes)


class ChangedTexts(Struct, frozen=True):
    """A file's text before and now, "" where there was or is none; None for what is no text or too long."""

    former: str
    file: str
    before: str | None
    after: str | None


def pending(source: PendingSource, site: Site) -> PendingChanges:
    """Compare the live release with the files of now, which `site` was read from.

    Raises StorageError and DamagedRelease.
    """
    live, layout = _live(source.releases), lay_out(site)
    former = FormerAddresses(source.releases, live.sources)
    listed = sources_now(source.root, source.work)
    now = listed.files
    fault, revisions = _revisions(source, live)
    present = _present(now)
    found = source_changes(_digests(live.sources), present, _shown(live, layout, former), _moves(revisions))
    titles = _titles(source.releases, site, found)
    last = _last(revisions)
    changes = tuple(_change(each, titles, last, now) for each in found)
    moved = dict(_moved_addresses(changes, layout, former))
    lost = vanished_addresses(live.addresses, addresses_of(layout), moved)
    drafts = tuple(LeftOutDraft(page.path, page.title) for page in site.drafts)
    mark = digest(live.number, present)
    return PendingChanges(live.number, changes, drafts, lost, moved, mark, fault, listed.left_out)


def texts(source: PendingSource, change: PendingChange) -> Sequence[ChangedTexts]:
    """Return the texts of a change, to be compared. Raises StorageError."""
    with failures.reading(str(source.root)):
        root = os.open(source.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return [
            ChangedTexts(
                each.former,
                each.file,
                _text(source.releases.data(each.before, LONGEST_TEXT)) if each.before else "",
                _text(source_bytes(root, each.file, LONGEST_TEXT)) if each.file else "",
            )
            for each in change.files
        ]
    finally:
        os.close(root)


class _Live(Struct, frozen=True):
    """Facts about the live release that are needed here; all is empty where there is none."""

    number: int = 0
    created_at: int = 0
    sources: Mapping[str, ReleasedFile] = {}
    addresses: Addresses = Addresses({}, {})


def _live(releases: ReleaseStore) -> _Live:
    number = releases.pointer().live
    if not number:
        return _Live()
    record, sources = releases.get(number), releases.sources(number)
    return _Live(number, record.created_at, sources, addresses_in(releases, number))


def _digests(files: Mapping[str, ReleasedFile]) -> Digests:
    return {path: file.digest for path, file in files.items()}


def _present(now: HashedSources) -> Digests:
    """Return the digests of what would be published."""
    return {path: each.digest for path, each in now.items() if each.digest}


def _shown(live: _Live, layout: Layout, former: FormerAddresses) -> ShownPages:
    pages = {page.path for page in layout.site.pages}
    places = live.addresses.places

    def before(path: str) -> bool:
        # The not-found page has no address of its own.
        return path == paths.NOT_FOUND or encoded(former.of(path)) in places

    return ShownPages(before, pages.__contains__)


def _revisions(source: PendingSource, live: _Live) -> tuple[str, Sequence[Revision]]:
    """Return the changes since the release was made, the last first, and why some are missing, if so."""
    fault = ""
    try:
        source.history.bring_in()
    except StorageError as error:
        fault = error.message
    return fault, source.history.revisions(within=LOOKED_AT, since=live.created_at - _EARLIER)


def _moves(revisions: Sequence[Revision]) -> Mapping[str, str]:
    """Return the pages that have moved, as the history knows it."""
    return moves_of(_step(each) for each in reversed(revisions))


def _step(revision: Revision) -> Mapping[str, str]:
    files = [each for each in revision.files if is_content(each.file)]
    gone = {each.old: page_of(each.file) for each in files if each.new is None}
    come = {each.new: page_of(each.file) for each in files if each.old is None}
    return {gone[blob]: page for blob, page in come.items() if blob in gone}


def _last(revisions: Iterable[Revision]) -> Mapping[str, Revision]:
    """Return the last change of each file."""
    found: dict[str, Revision] = {}
    for revision in revisions:
        for each in revision.files:
            found.setdefault(each.file, revision)
    return found


def _titles(releases: ReleaseStore, site: Site, changes: Iterable[SourceChange]) -> Mapping[str, str]:
    """Return the titles of pages by their paths; those of removed ones from the release."""
    gone = [each for each in changes if each.what == "page" and each.kind == "removed"]
    former = {each.path: _former_title(releases, site, each) for each in gone[:_MOST_TITLES]}
    return former | {page.path: page.title for page in site.pages}


def _former_title(releases: ReleaseStore, site: Site, change: SourceChange) -> str:
    for each in change.files:
        suffix = next((end for end in paths.PAGE_SUFFIXES if each.former.endswith(end)), None)
        if suffix is None or each.former.endswith(paths.TWIN_SUFFIX) or each.before is None:
            continue
        text = _text(releases.data(each.before, LONGEST_TEXT))
        if text is not None:
            former = Source(change.path, paths.PAGE_SUFFIXES[suffix], text, None, "", each.former)
            page = shown_page(former, site)
            return page.title if page else ""
    return ""


def _change(
    change: SourceChange, titles: Mapping[str, str], last: Mapping[str, Revision], now: HashedSources
) -> PendingChange:
    touched = [last[name] for each in change.files for name in (each.former, each.file) if name in last]
    revision = max(touched, key=lambda each: each.time, default=None)
    saved = [now[each.file].state.changed for each in change.files if each.file in now]
    when = int(revision.time) if revision else max(saved, default=0) // 1_000_000_000
    title = titles.get(change.path, "") if change.what == "page" else ""
    return PendingChange(
        change.kind, change.what, change.path, change.former, title, change.files, revision, when
    )


def _moved_addresses(
    changes: Sequence[PendingChange], layout: Layout, former: FormerAddresses
) -> Iterator[tuple[str, str]]:
    """Yield the former address and the new one of pages that have moved, or have the same title elsewhere."""
    now = {page.path: encoded(page.url) for page in layout.site.pages}
    pages = [each for each in changes if each.what == "page"]
    fresh = {each.title: each.path for each in pages if each.kind == "added"}
    for each in pages:
        if each.kind == "removed" and each.title in fresh:
            yield encoded(former.of(each.path)), now[fresh[each.title]]
        elif each.kind == "moved" and each.path in now:
            yield encoded(former.of(each.former)), now[each.path]
    touched = {each.path for each in pages}
    if former.differ_from(layout.site.config):
        for page in layout.site.pages:
            old = former.of(page.path) if page.path in touched else former.unchanged(page)
            if encoded(old) != now[page.path]:
                yield encoded(old), now[page.path]


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None
