"""Review one page: the diagnostics of a check, and the links that would break without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from builder import site
from builder.diagnostics import Diagnostic
from builder.plan.anchor_check import PageLinks, check_anchors
from builder.plan.layout import HOME
from builder.render.render_page import Bodies, render_bodies
from builder.review.surroundings import Surroundings, Surveyor, without
from builder.site import Memory, Site, SitePage, of_source
from builder.store import ContentStore, PageFile, Source

_OF_SITE = frozenset({"broken-link", "broken-anchor", "broken-image", "link-draft", "path-conflict"})
"""Codes that other files decide about, as they are at the moment."""


class Inbound(Struct, frozen=True, order=True):
    """A link to a page, at its place in the file of the page `path` or of that page's twin."""

    path: str
    file: str
    line: int
    column: int


class Review:
    """Reviews pages of the site in `store`, again and again; reads only what has changed in between.

    Not safe to use from several threads.
    """

    def __init__(self, root: Path, store: ContentStore, plan: site.Plan | None = None) -> None:
        self._store = store
        self._plan = plan
        self._memory = Memory(root)
        self._surveyor = Surveyor()
        self._shape = store.shape()
        self._last: tuple[int, Site] | None = None
        self._ids: dict[str, tuple[SitePage, frozenset[str]]] = {}

    def site(self) -> Site:
        """The site as it is now. Raises ConfigError, StorageError."""
        return self._loaded(self._shape.look())

    def outline(self) -> Site:
        """The site with the files and the settings that it has now; what its pages say may be older.

        This costs a look at each folder, not at each file. Raises ConfigError, StorageError.
        """
        number = self._shape.look()
        if self._last is None or self._last[0] != number:
            return self._loaded(number)
        return self._last[1]

    def page(self, source: Source, twin_file: str, now: Site | None = None) -> tuple[Diagnostic, ...]:
        """What `twinpress check` would say of the page's files if the page was `source`, sorted by place.

        Of a draft it says what it would say if that was published. `now` is the site, if it has just been
        asked for. Raises ConfigError, StorageError.
        """
        found = of_source(source, twin_file)
        if found.page is None:
            return found.diagnostics
        around = self._surveyor.beside(now or self.site(), found.page)
        bodies = render_bodies(found.page, around.context)
        return self._all(found.page, found.diagnostics, bodies, around)

    def glance(self, source: Source, twin_file: str, outline: Site) -> tuple[Diagnostic, ...] | None:
        """The same with a look at no other pages than those that are linked.

        None when that is not enough: one of them is another than it was, or something is wrong that another
        file may have mended in the meantime. Raises ConfigError, StorageError.
        """
        found = of_source(source, twin_file)
        if found.page is None:
            return found.diagnostics
        around = self._surveyor.near(outline, found.page)
        bodies = render_bodies(found.page, around.context)
        linked = {path: self._now(path, around) for path in bodies.targets - {source.path}}
        if None in linked.values():
            return None
        told = self._all(found.page, found.diagnostics, bodies, around.with_now(linked))
        return None if any(one.code in _OF_SITE for one in told) else told

    def inbound(self, path: str, now: Site | None = None) -> tuple[Inbound, ...]:
        """The links of other pages that would lead nowhere if there was no page at `path`."""
        now = now or self.site()
        pages = [page for page in (*now.pages, *now.drafts) if page.path != path and _mentions(page, path)]
        around = self._surveyor.of(now)
        before = {page.path: set(self._told(page, around)) for page in pages}
        after = self._surveyor.of(without(now, path))
        return tuple(sorted(
            Inbound(page.path, one.file, one.line, one.column)
            for page in pages
            for one in set(self._told(page, after)) - before[page.path]
        ))  # fmt: skip

    def _loaded(self, number: int) -> Site:
        made = site.load(self._store, plan=self._plan, memory=self._memory)
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
        self, page: SitePage, found: tuple[Diagnostic, ...], bodies: Bodies, around: Surroundings
    ) -> tuple[Diagnostic, ...]:
        told = {*found, *bodies.diagnostics, *self._anchors(page, bodies, around)}
        files = {page.file, page.twin_file}
        told.update(one for one in around.diagnostics if one.file in files)
        return tuple(sorted(told))

    def _told(self, page: SitePage, around: Surroundings) -> Iterator[Diagnostic]:
        bodies = render_bodies(page, around.context)
        yield from bodies.diagnostics
        yield from self._anchors(page, bodies, around)

    def _anchors(self, page: SitePage, bodies: Bodies, around: Surroundings) -> Iterator[Diagnostic]:
        own = PageLinks(page.file, page.path, bodies.page.ids, bodies.page.links)
        twin = bodies.twin_links
        twins = [PageLinks(twin.file, page.path, twin.ids, twin.links)] if twin else []
        wanted = {link.path for each in (own, *twins) for link in each.links} - {page.path}
        targets = [PageLinks("", path, self._ids_of(path, around), ()) for path in sorted(wanted)]
        yield from check_anchors([own, *targets], twins)

    def _ids_of(self, path: str, around: Surroundings) -> frozenset[str]:
        """The ids of the page at `path`, rendered only when it is another than the last time."""
        page = around.pages.get(path)
        if page is None:
            return frozenset()
        known = self._ids.get(path)
        if known is None or known[0] is not page:
            known = self._ids[path] = page, render_bodies(page, around.context).page.ids
        return known[1]


def _mentions(page: SitePage, path: str) -> bool:
    """Whether a link to `path` may be in the page: it has the name, or leads to a folder."""
    name = path.rpartition("/")[2]
    texts = (page.document.body, page.twin or "")
    return name == "index" or any(spelled in text for spelled in {name, quote(name)} for text in texts)
