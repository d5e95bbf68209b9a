"""The site around a page, as it would be built: made anew only when more than bodies has changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from builder.build.layout import HOME, Layout, lay_out
from builder.build.shared import make_shared
from builder.diagnostics import Diagnostic
from builder.markdown.context import Context
from builder.site import Site, SitePage


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What links are resolved against.

    `pages` are those that a build would show, by content path, the one that also answers at `/` included.
    """

    context: Context
    pages: Mapping[str, SitePage]
    diagnostics: tuple[Diagnostic, ...]


class Surveyor:
    """Finds out the surroundings, and keeps the last ones."""

    def __init__(self) -> None:
        self._facts: tuple[object, ...] = ()
        self._last: tuple[Context, str, tuple[Diagnostic, ...]] | None = None

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


def without(site: Site, path: str) -> Site:
    """The site if it had no page at `path`."""
    pages = tuple(page for page in site.pages if page.path != path)
    drafts = tuple(page for page in site.drafts if page.path != path)
    return dataclasses.replace(site, pages=pages, drafts=drafts)


def beside(site: Site, page: SitePage) -> Site:
    """The site with this page in the place of the one at its path."""
    rest = without(site, page.path)
    if page.meta.draft:
        return dataclasses.replace(rest, drafts=(*rest.drafts, page))
    pages = sorted((*rest.pages, page), key=lambda one: one.path)
    return dataclasses.replace(rest, pages=tuple(pages))


def _facts(site: Site) -> tuple[object, ...]:
    """All that decides where links may lead."""
    pages = [
        (page.path, page.file, page.meta, page.title, page.label) for page in (*site.pages, *site.drafts)
    ]
    return site.config, dict(site.categories), site.files, pages


def _context(layout: Layout) -> Context:
    return make_shared(layout, [], drafts=False, reload="").context
