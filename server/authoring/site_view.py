"""A site as it is now, looked at as a whole: its summary and pages, its guide, addresses and titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Protocol

from msgspec import Struct

from builder import paths
from builder.config import SiteConfig
from builder.errors import PageNotFound, TwinpressError
from builder.review import Review
from builder.site import Memory, Plan, Site, address_of, load_config, shown_page, sources_digest
from builder.site.own_components import own_components
from builder.store import CategoryRecord, ContentStore, Source
from server.authoring.guide import SwitchedOn, guide, guide_part
from server.authoring.guide_forms import GuideForm
from server.authoring.site_key_limits import ClientLimits
from server.authoring.store_failures import failure_of
from server.authoring.structs import Category, PageSummary, SiteResult, SiteSummary


class Published(Struct, frozen=True):
    """The site as readers have it: since when, in seconds since 1970, UTC, and at which address."""

    at: int | None = None
    url: str = ""


UNPUBLISHED = Published()
"""Nothing, or nothing that is known here."""


class SiteIdentity(Protocol):
    """A site, as far as it is told from others."""

    @property
    def id(self) -> str:
        """The id of the site."""


Mark = Callable[[], object]
"""Gives another value after each change of the site."""


class SiteView:
    """The site `site` in `store`, whose keys have `limits`.

    Safe to use from several threads. Raises Failure.
    """

    def __init__(
        self,
        root: Path,
        store: ContentStore,
        site: SiteIdentity,
        limits: ClientLimits,
        *,
        plan: Plan | None = None,
        mark: Mark | None = None,
    ) -> None:
        self._root = root
        self._mark = mark
        self._whole: tuple[object, Site, bytes] | None = None
        self._store = store
        self._site = site
        self._limits = limits
        self._review = Review(root, store, plan)
        self._site_lock = Lock()
        self._settings = Memory(root)

    def site(self, published: Published = UNPUBLISHED) -> SiteResult:
        """The summary of the site, of which readers have what is `published`, and all its pages."""
        with self._site_lock:
            try:
                site = self._review.site()
            except TwinpressError as error:
                raise failure_of(error) from error
        pages = sorted((*site.pages, *site.drafts), key=lambda page: page.path)
        summary = SiteSummary(
            id=self._site.id,
            title=site.config.title,
            description=site.config.description,
            url=site.config.url or published.url,
            plan=site.config.plan,
            page_count=len(pages),
            updated_at=self._updated([page.file for page in pages]),
            published_at=None if published.at is None else _time(published.at),
            categories=[category_of(record) for _, record in sorted(site.categories.items())],
        )
        return SiteResult(summary, [PageSummary(page.path, page.title, page.format) for page in pages])

    def whole(self) -> Site:
        """Return the site as it is now. Raises StorageError.

        With `mark`, as it was at the last change by Twinpress: nobody else changes the files of the site.
        """
        return self.whole_state()[0]

    def whole_state(self) -> tuple[Site, bytes]:
        """Return the same, and its digest (`builder.site.sources_digest`)."""
        with self._site_lock:
            mark = (self._mark(), self._review.names()) if self._mark else None
            if mark is None or self._whole is None or self._whole[0] != mark:
                site = self._review.site()
                self._whole = mark, site, sources_digest(site)
            return self._whole[1:]

    def guide(self, part: str = "", form: GuideForm = "http") -> str:
        """Return the guide for agents that write here, or a part of what it leaves out."""
        with self._site_lock:
            try:
                config = self._review.site().config
            except TwinpressError as error:
                raise failure_of(error) from error
        sidebar = config.sidebar_place("sidebar")[0] if config.sidebar or config.sidebar_file else ""
        own = own_components(self._root, config)
        place = config.docs_at, config.trailing_slash
        switched_on = SwitchedOn(config.extras, config.variables, own, sidebar, *place)
        if part:
            return guide_part(part, config.plan, switched_on)
        return guide(config.title, config.plan, self._limits, switched_on, form=form)

    def address(self, source: Source) -> str:
        """Return the address of the page that a source is, from the site's root."""
        settings = self._config()
        return address_of(source, settings) if settings else paths.url(source.path)

    def base_path(self) -> str:
        """Return the path of the site's own address: "", or `/repo`."""
        settings = self._config()
        return settings.base_path if settings else ""

    def folder_address(self, folder: str) -> str:
        """Return the address of the page of a folder, from the site's root; "" while no page is in it."""
        path = f"{folder}/index"
        try:
            return self.address(self._store.read(path, any_size=True))
        except PageNotFound:  # a build makes one where there is something to list
            within = any(page.path.startswith(f"{folder}/") for page in self._store.scan().pages)
            settings = self._config() if within else None
            return paths.url(path, paths.place_of(path, settings.docs_at)) if settings else ""
        except TwinpressError:
            return ""

    def _config(self) -> SiteConfig | None:
        """Return the settings, None where they cannot be read."""
        try:
            with self._site_lock:
                return load_config(self._store, self._settings)[0]
        except TwinpressError:
            return None

    def title(self, source: Source) -> str:
        """Return the title of the page that a source is, as readers see it; "" for one that is none."""
        try:
            page = shown_page(source, self.whole())
        except TwinpressError:
            return ""
        return page.title if page else ""

    def _updated(self, files: Sequence[str]) -> str | None:
        """Return the time at which the youngest of these files was written."""
        times = []
        for file in files:
            with suppress(OSError):  # it is gone since it was listed
                times.append((self._root / file).lstat().st_mtime)
        return _time(max(times)) if times else None


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def category_of(record: CategoryRecord) -> Category:
    """Return the category that a record is."""
    return Category(record.path, record.label, record.position, record.collapsed)
