"""Review one page: the diagnostics of a check, and the links that would break without it.

The site around a page is made as it would be built: see `surroundings`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from copy import copy
from pathlib import Path

from msgspec import Struct

from builder import site
from builder.diagnostics import Diagnostic
from builder.errors import ConfigError
from builder.markdown.body import components_in
from builder.markdown.page import SourceSection
from builder.plan.anchor_check import PageLinks, check_anchors, links_of
from builder.plan.layout import HOME
from builder.render import PageContent, RenderedText
from builder.render.render_page import body_source, frame, render_text
from builder.review.inbound_links import (
    Inbound,
    emptied_folders,
    last_names,
    links_of_settings,
    may_include,
    mentions,
)
from builder.review.outline_structs import PageOutline
from builder.review.page_outline import ImageFiles, outline_of
from builder.review.page_records import PageRecord, PageRecords
from builder.review.surroundings import Surroundings, Surveyor, without
from builder.review.work_budget import WorkBudget
from builder.search.query import LiveIndex
from builder.site import Memory, Site, SitePage, read_at_place
from builder.store import ContentStore, PageFile, Source
from builder.store.part_files import PartFiles

_OF_SITE = frozenset({"broken-link", "broken-anchor", "broken-image", "link-draft", "path-conflict"})
"""Codes that other files decide about, as they are at the moment."""


class ReviewBase(Struct, frozen=True):
    """The store of a site, the memory of its files, the files that pages include, and the plan.

    `sources` are those that were loaded last, None where there is no site.
    """

    store: ContentStore
    memory: Memory
    parts: PartFiles
    plan: site.Plan | None
    sources: site.Sources | None


class Review:
    """Reviews pages of the site in `store`, again and again; reads only what has changed in between.

    A folder with neither settings nor pages is an empty site. `include_roots` are folders beside the site
    from which its pages may include files.

    Not safe to use from several threads.
    """

    def __init__(
        self,
        root: Path,
        store: ContentStore,
        plan: site.Plan | None = None,
        include_roots: tuple[str, ...] = (),
    ) -> None:
        self._store = store
        self._plan = plan
        self._memory = Memory(root)
        self._parts = PartFiles(root, tuple(map(os.path.realpath, include_roots)))
        self._surveyor, self._drafts_surveyor = Surveyor(self._parts), Surveyor(self._parts, drafts=True)
        self._sources: site.Sources | None = None
        self.records = PageRecords()
        self.index = LiveIndex()
        self._shape = store.shape()
        self._last: tuple[int, Site] | None = None
        self._ids: dict[str, tuple[SitePage, frozenset[str]]] = {}

    def site(self) -> Site:
        """The site as it is now. Raises StorageError."""
        return self._loaded(self._shape.look())

    def outline(self) -> Site:
        """The site with the files and the settings that it has now; what its pages say may be older.

        This costs a look at each folder, not at each file. Raises StorageError.
        """
        number = self._shape.look()
        if self._last is None or self._last[0] != number:
            return self._loaded(number)
        return self._last[1]

    @property
    def base(self) -> ReviewBase:
        """The site's store, and what is known of its files: for those who look at it with some changed."""
        return ReviewBase(self._store, self._memory, self._parts, self._plan, self._sources)

    def over(self, parts: PartFiles) -> Review:
        """Return a review of the same site with other parts, for sites that are given to it."""
        other = copy(self)
        other._parts, other._surveyor, other._ids = parts, Surveyor(parts), dict(self._ids)
        other.records = self.records.over()
        return other

    def names(self) -> int:
        """Return a number that is another one when files or settings have other names or states."""
        return self._shape.look()

    def page(self, source: Source, twin_file: str, now: Site | None = None) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of `twinpress check` as if the page was `source`, sorted by place.

        Of a draft it says what it would say if that was published. `now` is the site, if it has just been
        asked for. Raises StorageError.
        """
        site = now or self.site()
        found = read_at_place(source, twin_file, site.config)
        page = found.page
        if page is None:
            return found.diagnostics
        around = self._surveyor.beside(site, page)
        text = render_text(page, around.context)
        return self._all(page, found.diagnostics, text, around)

    def sections(self, source: Source, now: Site) -> tuple[SourceSection, ...]:
        """Return the sections of a page's source, as the parser finds them; none of one that is no page."""
        page = read_at_place(source, "", now.config).page
        return render_text(page, self.around(now).context).body.sections if page else ()

    def around(self, now: Site) -> Surroundings:
        """Return what the pages of the site stand in."""
        return self._surveyor.of(now)

    def with_drafts(self, now: Site) -> tuple[Site, Surroundings]:
        """Return the site that has just been asked for, its drafts among its pages, and what is around."""
        whole = site.site_of(self._sources, drafts=True) if self._sources and now.drafts else now
        return whole, (self._drafts_surveyor if now.drafts else self._surveyor).of(whole)

    def rendered(self, now: Site, seconds: float) -> tuple[Site, dict[str, PageRecord]]:
        """Return the site that has just been asked for with its drafts, and the records of its pages by path.

        Drafts are rendered as if they were published, other pages as readers have them. When so many seconds
        of a processor are spent, pages are left out, those whose files come last.
        """
        whole, drafts = self.with_drafts(now)
        self.records.keep(whole.pages)
        context = self.around(now).context
        asked = ((page, drafts.context if page.meta.draft else context) for page in by_file(whole))
        return whole, dict(self.records.within(asked, WorkBudget(seconds)))

    @property
    def store(self) -> ContentStore:
        """The store of the site."""
        return self._store

    def glance(self, source: Source, twin_file: str, outline: Site) -> tuple[Diagnostic, ...] | None:
        """The same with a look at no other pages than those that are linked.

        None when that is not enough: one of them is another than it was, or something is wrong that another
        file may have mended in the meantime. Raises StorageError.
        """
        found = read_at_place(source, twin_file, outline.config)
        page = found.page
        if page is None:
            return found.diagnostics
        around = self._surveyor.near(outline, page)
        text = render_text(page, around.context)
        linked = {path: self._now(path, around) for path in text.targets - {source.path}}
        if None in linked.values():
            return None
        told = self._all(page, found.diagnostics, text, around.with_now(linked))
        return None if any(one.code in _OF_SITE for one in told) else told

    def inbound(self, path: str, now: Site | None = None) -> tuple[Inbound, ...]:
        """The links of other pages that would lead nowhere if there was no page at `path`."""
        now = now or self.site()
        around = self._surveyor.of(now)
        others = (page for page in (*now.pages, *now.drafts) if page.path != path)
        names = {path.rpartition("/")[2], *last_names(now, path), *emptied_folders(now, path)}
        pages = [page for page in others if mentions(page, names) or may_include(page, around.context)]
        before = {page.path: set(self.told(page, around)) for page in pages}
        then, after = self.over(self._parts), self._surveyor.of(without(now, path))
        found = {
            Inbound(page.path, one.file, one.line, one.column)
            for page in pages
            for one in set(then.told(page, after)) - before[page.path]
        }
        found.update(Inbound("", *place) for place in links_of_settings(after) - links_of_settings(around))
        return tuple(sorted(found))

    def outline_of(self, path: str, now: Site | None = None, *, full: bool = False) -> PageOutline | None:
        """Return the outline of a page as it is rendered, a draft too; None where there is no such page.

        The page stands in the frame of the default theme: templates of the site's own are not run here.
        """
        now = now or self.site()
        page = next((one for one in (*now.pages, *now.drafts) if one.path == path), None)
        if page is None:
            return None
        around = self._surveyor.near(now, page)
        text = render_text(page, around.context)
        html = frame(page, PageContent(text.body, ""), around.shared.without_templates())
        files = {file.output: file.file for file in now.files}
        measure = ImageFiles(around.shared.base, files, frozenset(text.body.brought), self._store)
        components = components_in(body_source(page), around.context)
        return outline_of(html.decode(), components, measure, draft=page.meta.draft, full=full)

    def _loaded(self, number: int) -> Site:
        try:
            self._sources = site.read_sources(self._store, plan=self._plan, memory=self._memory)
            made = site.site_of(self._sources, drafts=False)
        except ConfigError:  # it was a site: its last page is gone, or the first one has yet to come
            self._sources, made = None, site.empty_site(self._plan)
        self._last = number, made
        if len(self._ids) > len(made.pages) + len(made.drafts):
            there = {page.path for page in (*made.pages, *made.drafts)}
            self._ids = {path: known for path, known in self._ids.items() if path in there}
        return made

    def _now(self, path: str, around: Surroundings) -> SitePage | None:
        """A page that is linked, as it is now; None when it is not there, or a draft, or that is open."""
        page = around.pages.get(path)
        if page is None or (path == HOME and page.path != HOME):
            return None
        file = PageFile(page.path, page.file, page.format, page.twin_file or None)
        now = self._memory.read(self._store, file).page
        return None if now is None or now.meta.draft else now

    def _all(
        self, page: SitePage, found: tuple[Diagnostic, ...], text: RenderedText, around: Surroundings
    ) -> tuple[Diagnostic, ...]:
        told = {*found, *text.diagnostics, *self._anchors(page, text, around)}
        files = {page.file, page.twin_file}
        told.update(one for one in around.diagnostics if one.file in files)
        told.update(_left_out(page, around))
        return tuple(sorted(told))

    def shown(self, source: Source, twin_file: str, site: Site) -> tuple[Diagnostic, ...]:
        """Return the same as `page` for a page that is one of the site, at the cost of that page alone."""
        found = read_at_place(source, twin_file, site.config)
        if found.page is None:
            return found.diagnostics
        around = self._surveyor.near(site, found.page)
        return self._all(found.page, found.diagnostics, render_text(found.page, around.context), around)

    def told(self, page: SitePage, around: Surroundings) -> Iterator[Diagnostic]:
        """Yield what is wrong with a page in its surroundings; it is rendered if these are new to it."""
        record = self.records.of(page, around.context)
        yield from record.diagnostics
        yield from self._anchors_of(record.links, record.twin, around)

    def _anchors(self, page: SitePage, text: RenderedText, around: Surroundings) -> Iterator[Diagnostic]:
        own, twin = links_of(page.file, page.path, text.body, text.twin_links)
        return self._anchors_of(own, twin, around)

    def _anchors_of(
        self, own: PageLinks, twin: PageLinks | None, around: Surroundings
    ) -> Iterator[Diagnostic]:
        twins = [twin] if twin else []
        wanted = {link.path for each in (own, *twins) for link in each.links} - {own.path}
        targets = [PageLinks("", path, self.ids_of(path, around), ()) for path in sorted(wanted)]
        yield from check_anchors([own, *targets], twins)

    def ids_of(self, path: str, around: Surroundings) -> frozenset[str]:
        """The ids of the page at `path`, rendered only when it is another than the last time."""
        page = around.pages.get(path)
        if page is None:
            return frozenset()
        known = self._ids.get(path)
        if known is None or known[0] is not page or may_include(page, around.context):
            known = self._ids[path] = page, render_text(page, around.context).body.ids
        return known[1]


def _left_out(page: SitePage, around: Surroundings) -> Iterator[Diagnostic]:
    """Say that the sidebar does not name a page that wants to be listed."""
    if page.path in around.left_out and not page.meta.unlisted:
        message = f"`{around.sidebar}` does not name this page, so it is built and unlisted"
        hint = f"add `{page.path}` to `{around.sidebar}`, or write `unlisted: true`"
        yield Diagnostic(page.file, 0, 0, "sidebar-left-out", message, hint)


def by_file(site: Site) -> list[SitePage]:
    """Return the pages of a site in the order of their files."""
    return sorted(site.pages, key=lambda page: page.file)
