"""The surroundings of a page: the site that its links are resolved against, as a build would have it.

Made anew only when more than bodies has changed.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.markdown.context import Context
from builder.plan.layout import HOME, Layout, lay_out
from builder.plan.make_shared import SiteFacts, make_shared
from builder.plan.options import Options
from builder.plan.redirects import check_redirects
from builder.render import Shared
from builder.site import Site, SitePage, with_digest
from builder.store.part_files import PartFiles


class Surroundings(Struct, frozen=True):
    """The pages that links are resolved against.

    `pages` are those that a build would show, by content path, the one that also answers at `/` included.
    `left_out` are those that the sidebar does not name, which the file `sidebar` has. `layout` is the layout
    of the site, whose pages may say less than these.
    """

    shared: Shared
    pages: Mapping[str, SitePage]
    diagnostics: tuple[Diagnostic, ...]
    left_out: frozenset[str] = frozenset()
    sidebar: str = ""
    layout: Layout | None = None

    @property
    def context(self) -> Context:
        """The context of pages."""
        return self.shared.context

    def with_now(self, pages: Mapping[str, SitePage | None]) -> Surroundings:
        """The same with some of the pages as they are now."""
        known = {path: page for path, page in pages.items() if page is not None}
        return replace(self, pages=ChainMap(known, cast("dict[str, SitePage]", self.pages)))


class Surveyor:
    """Finds out the surroundings, and keeps the last ones; with `drafts` of sites that show theirs."""

    def __init__(self, parts: PartFiles | None = None, *, drafts: bool = False) -> None:
        self._parts = parts
        self._drafts = drafts
        self._facts: tuple[object, ...] = ()
        self._last: Surroundings | None = None
        self._home = ""
        self._plain: tuple[Site, Surroundings] | None = None

    def of(self, site: Site) -> Surroundings:
        """The surroundings in a site whose pages may have been changed since it was read."""
        facts = _facts(site)
        if self._last is None or facts != self._facts:
            layout = lay_out(site)
            self._home = layout.home.path if layout.home else ""
            left_out = frozenset(page.path for page in layout.site.pages if page.left_out)
            file = site.config.sidebar_place("sidebar")[0] if left_out else ""
            shared, found = _shared(layout, self._parts, drafts=self._drafts)
            self._facts, self._last = facts, Surroundings(shared, {}, found, left_out, file, layout)
        pages = {page.path: page for page in site.pages}
        if self._home in pages:
            pages[HOME] = pages[self._home]
        return replace(self._last, pages=pages)

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
        if old is None or old.file != page.file or page.meta.draft or old.meta.unlisted != page.meta.unlisted:
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
    pages = [(page.file, page.listing) for page in (*site.pages, *site.drafts)]
    settings = site.config, site.config.places, site.config.redirect_lines
    return *settings, dict(site.categories), site.files, pages


def _shared(
    layout: Layout, parts: PartFiles | None, *, drafts: bool
) -> tuple[Shared, tuple[Diagnostic, ...]]:
    """Return what pages are rendered with, and what is wrong with the layout and the settings."""
    found = list(layout.diagnostics)
    options = Options(analytics=False, drafts=drafts)
    shared = make_shared(layout, found, options, SiteFacts(parts=parts))
    found += check_redirects(layout.site.config, layout.redirect_targets(), shared.context.links)
    return shared, tuple(found)
