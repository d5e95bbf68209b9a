"""What can be done with the pages of one site; knows no HTTP. Every call may wait for the disk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from msgspec import UNSET
from msgspec.structs import replace

from builder import paths
from builder.errors import PageNotFound, RevisionMismatch, StorageError, TwinpressError
from builder.review import Review
from builder.site import Plan
from builder.store import CategoryRecord, ContentStore, Note, Source, Written
from builder.store.records import revision
from server.pages.compose import Composed, compose, page_of
from server.pages.conditions import Conditions
from server.pages.failure import Failure, of_error
from server.pages.guide import guide
from server.pages.limits import Limits
from server.pages.structs import (
    Category,
    Page,
    PageSummary,
    PutCategory,
    PutPage,
    SiteResult,
    SiteSummary,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page that is ready to be written. `previous` is what was there when it was made ready."""

    put: PutPage
    composed: Composed
    previous: Source | None

    @property
    def file(self) -> str:
        """The name that the page's file has or will have."""
        if self.previous and self.previous.format == self.put.format:
            return self.previous.file
        return f"{self.put.path}.{self.put.format}"

    @property
    def twin_file(self) -> str:
        """The name that its twin's file has or will have."""
        return f"{self.put.path}.llms.md"

    @property
    def drops_twin(self) -> bool:
        """Whether there was a hand-written twin that goes."""
        return self.put.llmBody is None and self.previous is not None and self.previous.twin is not None

    @property
    def source(self) -> Source:
        """The page as it will be read."""
        put = self.put
        return Source(put.path, put.format, self.composed.text, put.llmBody, "", self.file)


class PagesService:
    """The pages of the site `site_id` in `store`, `limits.pages` at most.

    Safe to use from several threads. Raises Failure.
    """

    def __init__(
        self, root: Path, store: ContentStore, site_id: str, limits: Limits, plan: Plan | None = None
    ) -> None:
        self._root = root
        self._store = store
        self._id = site_id
        self._limits = limits
        self._review = Review(root, store, plan)
        self._reviewing = Lock()

    def site(self) -> SiteResult:
        """The summary of the site, and all its pages."""
        with self._reviewing:
            try:
                site = self._review.site()
            except TwinpressError as error:
                raise of_error(error) from error
        pages = sorted((*site.pages, *site.drafts), key=lambda page: page.path)
        summary = SiteSummary(
            id=self._id,
            title=site.config.title,
            description=site.config.description,
            url=site.config.url,
            plan=site.config.plan,
            page_count=len(pages),
            updated_at=self._updated([page.file for page in pages]),
            published_at=None,
            categories=[_category(record) for _, record in sorted(site.categories.items())],
        )
        return SiteResult(summary, [PageSummary(page.path, page.title, page.format) for page in pages])

    def guide(self) -> str:
        """What an agent needs to know to write here."""
        with self._reviewing:
            try:
                config = self._review.site().config
            except TwinpressError as error:
                raise of_error(error) from error
        return guide(config.title, config.plan, self._limits)

    def page(self, path: str) -> tuple[Page, str]:
        """A page and its revision."""
        source = self.source(path)
        return page_of(source), source.revision

    def source(self, path: str) -> Source:
        """A page as it is stored."""
        try:
            return self._store.read(path)
        except TwinpressError as error:
            raise of_error(error) from error

    def prepare(self, put: PutPage) -> Prepared:
        """Make a page ready to be written over what is there now."""
        try:
            put = replace(put, path=paths.parse(put.path))
            previous = self._previous(put.path)
        except TwinpressError as error:
            raise of_error(error) from error
        most = self._limits.pages
        if previous is None and len(self._store.scan().pages) >= most:
            raise Failure("PAGE_LIMIT_REACHED", f"the site has {most:,} pages, which is the most it may have")
        return Prepared(put, compose(put, previous), previous)

    def write(self, page: Prepared, conditions: Conditions, note: Note, *, insist: bool) -> Written | None:
        """Write a page; None when what is there is not any more what it was made ready for.

        A condition of the client's that does not hold is a Failure. `note` tells the history who writes.
        Who has no condition may `insist`, and write over what others save all the time.
        """
        now = page.previous.revision if page.previous else None
        free = insist and conditions.none
        conditions.check(page.put.path, now)
        put = page.put
        try:
            return self._store.write(
                put.path,
                put.format,
                page.composed.text,
                put.llmBody,
                if_match=None if free else now,
                create_only=now is None and not free,
                note=note,
            )
        except RevisionMismatch:
            return None
        except TwinpressError as error:
            if _moved(error):
                return None
            raise of_error(error) from error

    def rehearse(self, page: Prepared, conditions: Conditions, _: Note, *, insist: bool) -> Written:
        """What `write` would give; nothing is written."""
        conditions.check(page.put.path, page.previous.revision if page.previous else None)
        put = page.put
        twin = put.llmBody.encode() if put.llmBody is not None else None
        made = revision(put.format, page.composed.text.encode(), twin)
        return Written(made, page.previous is None, page.file)

    def delete(self, path: str, conditions: Conditions, note: Note) -> bool:
        """Remove a page; False when it changed in this very moment."""
        try:
            now = self._store.read(path).revision
            conditions.check(path, now)
            self._store.delete(path, if_match=now, note=note)
        except RevisionMismatch:
            return False
        except TwinpressError as error:
            if _moved(error):
                return False
            raise of_error(error) from error
        return True

    def category(self, put: PutCategory, note: Note) -> Category:
        """Change what the sidebar says about a folder."""
        given = (("label", put.label), ("position", put.position), ("collapsed", put.collapsed))
        try:
            changes = {name: value for name, value in given if value is not UNSET}
            return _category(self._store.set_category(put.path, changes, note=note))
        except ValueError as error:
            raise Failure("INVALID_BODY", str(error)) from error
        except TwinpressError as error:
            raise of_error(error) from error

    def _previous(self, path: str) -> Source | None:
        try:
            return self._store.read(path)
        except PageNotFound:
            return None

    def _updated(self, files: Sequence[str]) -> str | None:
        """When the youngest of these files was written."""
        times = []
        for file in files:
            with suppress(OSError):  # it is gone since it was listed
                times.append((self._root / file).lstat().st_mtime)
        return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds") if times else None


def _moved(error: TwinpressError) -> bool:
    """Whether a file went while it was being changed: an editor has just saved another one in its place."""
    return isinstance(error, StorageError) and isinstance(error.__cause__, FileNotFoundError)


def _category(record: CategoryRecord) -> Category:
    return Category(record.path, record.label, record.position, record.collapsed)
