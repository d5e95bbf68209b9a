"""Records of what was found out of each page of a site when it was rendered, for those who ask again.

A page is rendered anew when its source is another, or when the site tells it something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from builder import search
from builder.diagnostics import Diagnostic
from builder.markdown.context import Context
from builder.plan.anchor_check import PageLinks, links_of
from builder.render import Asked, are_same
from builder.render.dependencies import Listener
from builder.render.render_page import render_text
from builder.review.work_budget import WorkBudget
from builder.search import Part
from builder.site import SitePage


class PageRecord(Struct, frozen=True):
    """A page's part of the search; its diagnostics, without those of links to places on other pages; its
    links and those of its hand-written twin."""

    part: Part
    diagnostics: tuple[Diagnostic, ...]
    links: PageLinks
    twin: PageLinks | None


class _Known(Struct, frozen=True):
    """A record, and all that it was made of; it was right in this `context`."""

    record: PageRecord
    page: SitePage
    asked: Asked
    context: Context


class PageRecords:
    """The records of a site's pages. Not safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def known(self, page: SitePage, context: Context) -> PageRecord | None:
        """Return the record of a page if it is still right."""
        known = self._known.get(page.path)
        if known is None or not _is_same_page(known.page, page):
            return None
        if known.context is not context or not known.asked.is_alone:
            if not _is_same_grammar(known.context, context) or not are_same(known.asked, context):
                return None
            self._known[page.path] = replace(known, context=context)
        return known.record

    def over(self) -> PageRecords:
        """Return the same records, to which others may come and these stay as they are."""
        other = PageRecords()
        other._known = dict(self._known)
        return other

    def of(self, page: SitePage, context: Context) -> PageRecord:
        """Return the record of a page, which is rendered if need be."""
        return self.known(page, context) or self._make(page, context)

    def _make(self, page: SitePage, context: Context) -> PageRecord:
        listener = Listener(context, context.site_digest)
        text = render_text(page, listener.context)
        own, twin = links_of(page.file, page.path, text.body, text.twin_links)
        record = PageRecord(search.page_part(page, text.body), text.diagnostics, own, twin)
        self._known[page.path] = _Known(record, page, listener.asked(), context)
        return record

    def keep(self, pages: Iterable[SitePage]) -> None:
        """Forget all other pages."""
        there = {page.path for page in pages}
        for path in self._known.keys() - there:
            del self._known[path]

    def within(
        self, pages: Iterable[tuple[SitePage, Context]], budget: WorkBudget
    ) -> Iterator[tuple[str, PageRecord]]:
        """Yield the paths and records of pages, each beside its context, within a budget of work.

        After that those that are known still come. A page that takes longer is finished, and one is rendered
        however little time there is.
        """
        made = False
        for page, context in pages:
            record = self.known(page, context)
            if record is None and (not made or not budget.is_spent):
                record, made = self._make(page, context), True
            if record is not None:
                yield page.path, record


def _is_same_page(one: SitePage, other: SitePage) -> bool:
    return one is other or (bool(one.digest) and one.digest == other.digest and one.file == other.file)


def _is_same_grammar(one: Context, other: Context) -> bool:
    """Return whether pages are read alike, whatever their links are told."""
    return (one.premium, one.extras, one.embed_hosts, one.base, one.origin) == (
        other.premium,
        other.extras,
        other.embed_hosts,
        other.base,
        other.origin,
    ) and one.words == other.words
