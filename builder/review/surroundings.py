"""The site around a page, as it would be built: made anew only when more than bodies has changed."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.markdown.context import Context
from builder.plan.layout import HOME, Layout, lay_out
from builder.plan.make_shared import make_shared
from builder.site import Site, SitePage, with_digest


class Surroundings(Struct, frozen=True):
    """What links are resolved against.

    `pages` are those that a build would show, by content path, the one that also answers at `/` included.
    """

    context: Context
    pages: Mapping[str, SitePage]
    diagnostics: tuple[Diagnostic, ...]

    def with_now(self, pages: Mapping[str, SitePage | None]) -> Surroundings:
        """The same with some of the pages as they are now."""
        known = {path: page for path, page in pages.items() if page is not None}
        return replace(self, pages=ChainMap(known, cast("dict[str, SitePage]", self.pages)))


class Surveyor:
    """Finds out the surroundings, and keeps the last ones."""

    def __init__(self) -> None:
        self._facts: tuple[object, ...] = ()
        self._last: tuple[Context, str, tuple[Diagnostic, ...]] | None = None
        self._plain: tuple[Site, Surroundings] | None = None

    def of(self, site: Site) -> Surroundings:
        """The surroundings in a site whose pages may have been changed since it was read."""
        facts = _facts(site)
        if self._last is None or facts != self._facts:
            layout = lay_out(site)
            home = layout.home.path if layout.home else ""
            self._facts, self._last = facts, (_context(layout), home, layout.diagnostics)
        context, home, found = self._last
        pages = {page.path: page for page in site.pages}
        if home in pages:
            pages[HOME] = pages[home]
        return Surroundings(context, pages, found)

    def beside(self, site: Site, page: SitePage) -> Surroundings:
        """The surroundings in the site with this page in the place of the one at its path."""
        return self.of(beside(site, page))

    def near(self, site: Site, page: SitePage) -> Surroundings:
        """The same, made without a look at all pages where the page takes the place of one that is shown.

        What its title and position decide, which is the page at `/` of a site that has none, is as it was.
        """
        if self._plain is None or self._plain[0] is not site:
            self._plain = site, self.of(site)
        around = self._plain[1]
        old = around.pages.get(page.path)
        if old is None or old.file != page.file or page.meta.draft:
            return self.beside(site, page)
        home = around.pages.get(HOME)
        return around.with_now({page.path: page, HOME: page if home is old else home})


def without(site: Site, path: str) -> Site:
    """The site if it had no page at `path`."""
    pages = tuple(page for page in site.pages if page.path != path)
    drafts = tuple(page for page in site.drafts if page.path != path)
    return replace(site, pages=pages, drafts=drafts)


def beside(site: Site, page: SitePage) -> Site:
    """The site with this page in the place of the one at its path, a draft too as if published."""
    rest = without(site, page.path)
    pages = sorted((*rest.pages, _published(page)), key=lambda one: one.path)
    return replace(rest, pages=tuple(pages))


def _published(page: SitePage) -> SitePage:
    if not page.meta.draft:
        return page
    meta = replace(page.meta, draft=False)
    return with_digest(replace(page, document=replace(page.document, meta=meta)))


def _facts(site: Site) -> tuple[object, ...]:
    """All that decides where links may lead."""
    pages = [
        (page.path, page.file, page.meta, page.title, page.label) for page in (*site.pages, *site.drafts)
    ]
    return site.config, dict(site.categories), site.files, pages


def _context(layout: Layout) -> Context:
    return make_shared(layout, [], drafts=False, reload="").context
