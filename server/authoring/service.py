"""The actions on the pages of one site, without HTTP. Every call may wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock

from msgspec import UNSET, Struct
from msgspec.structs import replace

from builder import paths
from builder.errors import PageNotFound, RevisionMismatch, StorageError, TwinpressError
from builder.review import Review
from builder.site import Plan
from builder.store import PAGE_LIMIT, CategoryRecord, ChangeNote, ContentStore, Source, Written
from builder.store.page_reader import decode
from server.authoring.client_limits import ClientLimits
from server.authoring.compose import Composed, compose
from server.authoring.conditions import Conditions
from server.authoring.errors import of_error
from server.authoring.guide import guide
from server.authoring.structs import Category, PageSummary, PutCategory, PutPage, SiteResult, SiteSummary
from server.control.sites import LocalSite
from server.http.failure import Failure


class PreparedWrite(Struct, frozen=True):
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
    def source(self) -> Source:
        """The page as it will be read."""
        put, text = self.put, self.composed.text
        found = [
            *decode(text.encode(), self.file)[1],
            *decode((put.llmBody or "").encode(), self.twin_file)[1],
        ]
        return Source(put.path, put.format, text, put.llmBody, "", self.file, tuple(found))


class Writer(Struct, frozen=True):
    """Who changes something: a `note` for the history, and a `check` that raises Failure when it may not be.

    The check is made in the writer's turn, for which one may have to wait.
    """

    note: ChangeNote
    check: Callable[[], None]


class PagesService:
    """The pages of the site `site` in `store`, `limits.pages` at most.

    Safe to use from several threads. Raises Failure.
    """

    def __init__(
        self, root: Path, store: ContentStore, site: LocalSite, limits: ClientLimits, plan: Plan | None = None
    ) -> None:
        self._root = root
        self._store = store
        self._site = site
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
            id=self._site.id,
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

    def source(self, path: str, *, any_size: bool = False) -> Source:
        """A page as it is stored; with `any_size` one that is too large, without its text."""
        try:
            return self._store.read(path, any_size=any_size)
        except TwinpressError as error:
            raise of_error(error) from error

    def prepare(self, put: PutPage) -> PreparedWrite:
        """Make a page ready to be written over what is there now."""
        try:
            put = replace(put, path=paths.parse(put.path))
            previous = self._previous(put.path)
            unseen = beginning(self._store, previous) if previous else ""
        except TwinpressError as error:
            raise of_error(error) from error
        return PreparedWrite(put, compose(put, previous, unseen), previous)

    def write(
        self, page: PreparedWrite, conditions: Conditions, writer: Writer, *, insist: bool
    ) -> Written | None:
        """Write a page; None when what is there is not any more what it was made ready for.

        A condition of the client's that does not hold is a Failure.
        Who has no condition may `insist`, and write over what others save all the time.
        """
        make = partial(self._store.write, note=writer.note, check=writer.check)
        return self._change(make, page, conditions, free=insist and conditions.none)

    def rehearse(
        self, page: PreparedWrite, conditions: Conditions, _: Writer, *, insist: bool
    ) -> Written | None:
        """What `write` would give, or raise; nothing is written."""
        return self._change(self._store.rehearse, page, conditions, free=insist and conditions.none)

    def _change(
        self, make: Callable[..., Written], page: PreparedWrite, conditions: Conditions, *, free: bool
    ) -> Written | None:
        now, put = page.previous.revision if page.previous else None, page.put
        conditions.check(put.path, now)
        try:
            return make(
                put.path,
                put.format,
                page.composed.text,
                put.llmBody,
                if_match=None if free else now,
                create_only=now is None and not free,
                most=self._limits.pages,
            )
        except RevisionMismatch:
            return None
        except TwinpressError as error:
            if _moved(error):
                return None
            raise of_error(error) from error

    def delete(self, path: str, conditions: Conditions, writer: Writer, *, insist: bool) -> bool:
        """Remove a page; False when it changed in this very moment. Who has no condition may `insist`."""
        try:
            now = self._store.read(path, any_size=True).revision
            conditions.check(path, now)
            free = insist and conditions.none
            revision = None if free else now
            self._store.delete(path, if_match=revision, note=writer.note, check=writer.check)
        except RevisionMismatch:
            return False
        except TwinpressError as error:
            if _moved(error):
                return False
            raise of_error(error) from error
        return True

    def category(self, put: PutCategory, writer: Writer) -> Category:
        """Change what the sidebar says about a folder."""
        label = put.label if put.label is UNSET or (put.label or "").strip() else None  # empty is none
        given = (("label", label), ("position", put.position), ("collapsed", put.collapsed))
        try:
            changes = {name: value for name, value in given if value is not UNSET}
            note, check = writer.note, writer.check
            return _category(self._store.set_category(put.path, changes, note=note, check=check))
        except ValueError as error:
            raise Failure("INVALID_BODY", str(error)) from error
        except TwinpressError as error:
            raise of_error(error) from error

    def _previous(self, path: str) -> Source | None:
        try:
            return self._store.read(path, any_size=True)
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


def beginning(store: ContentStore, page: Source) -> str:
    """As much of its text as another page may have, empty for a page that was read. Raises StorageError."""
    if page.text:
        return ""
    try:
        with store.open_file(page.file) as file:
            return file.read(PAGE_LIMIT).decode(errors="replace")
    except FileNotFoundError:
        return ""  # it has gone in this very moment, which the write will see
