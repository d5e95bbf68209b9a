"""What a check would say of one page, and what would break without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from builder import site
from builder.build.anchors import PageLinks, check_anchors
from builder.diagnostics import Diagnostic
from builder.render import render_bodies
from builder.review.surroundings import Surroundings, Surveyor, beside, without
from builder.site import Memory, Site, SitePage, of_source
from builder.store import ContentStore, Source


@dataclass(frozen=True, slots=True, order=True)
class Inbound:
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
        self._ids: dict[str, tuple[SitePage, frozenset[str]]] = {}

    def site(self) -> site.Site:
        """The site as it is now. Raises ConfigError, StorageError."""
        return site.load(self._store, plan=self._plan, memory=self._memory)

    def page(self, source: Source, twin_file: str, now: Site | None = None) -> tuple[Diagnostic, ...]:
        """What `twinpress check` would say of the page's files if the page was `source`, sorted by place.

        Of a draft it says what it would say if that was published. `now` is the site, if it has just been
        asked for. Raises ConfigError, StorageError.
        """
        found = of_source(source, twin_file)
        if found.page is None:
            return found.diagnostics
        around = self._surveyor.of(beside(now or self.site(), found.page))
        told = {*found.diagnostics, *self._told(found.page, around)}
        files = {source.file, twin_file}
        told.update(one for one in around.diagnostics if one.file in files)
        return tuple(sorted(told))

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

    def _told(self, page: SitePage, around: Surroundings) -> Iterator[Diagnostic]:
        bodies = render_bodies(page, around.context)
        yield from bodies.diagnostics
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
