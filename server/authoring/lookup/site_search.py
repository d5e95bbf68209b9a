"""A search of a site as it is now, answered in the process that renders its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from builder.review import Review
from builder.search.query import Hit, excerpt
from builder.search.terms import STOP, terms
from builder.site import Site, SitePage
from server.authoring.lookup.lookup_structs import SearchHit, SearchResult

SECONDS = 4.0
"""Of a processor, for rendering pages that are not known yet; a question has more in all."""
MOST_TEXT = 20_000
"""Characters of a page that is looked through as plain text."""
MOST_PLAIN = 100
"""Pages that are found so."""


class SearchPlace(Struct, frozen=True, array_like=True):
    """The number of hits before."""

    before: int


class SearchQuestion(Struct, frozen=True):
    """Pages that answer `words` are asked for: `limit` of them after the first `offset`."""

    words: str
    limit: int
    offset: int
    seconds: float = SECONDS

    def answer(self, review: Review, site: Site) -> FoundPages:
        """Return the pages; of those that could not be rendered in time by their plain text."""
        whole, records = review.rendered(site, self.seconds)
        pages = {page.path: page for page in whole.pages}
        review.index.hold({path: record.part for path, record in records.items()})
        end = self.offset + self.limit + 1
        found = [_hit(hit, pages[hit.url]) for hit in review.index.search(self.words, end)]
        rest = [page for path, page in pages.items() if path not in records]
        found += _plain(self.words, rest)[: max(0, end - len(found))]
        hits = found[self.offset : end]
        return FoundPages(hits[: self.limit], len(records), len(pages), len(hits) > self.limit)


class FoundPages(Struct, frozen=True):
    """The hits, how many pages were in the index, how many there are, and whether there are more hits."""

    hits: list[SearchHit]
    indexed: int
    pages: int
    more: bool

    def result(self, next_cursor: str | None) -> SearchResult:
        """Return the answer of the API."""
        return SearchResult(self.hits, self.indexed, self.pages, next_cursor)


def _hit(hit: Hit, page: SitePage) -> SearchHit:
    url = f"{page.url}#{hit.anchor}" if hit.anchor else page.url
    return SearchHit(page.path, url, page.title, hit.section, hit.anchor, hit.excerpt, page.meta.draft)


def _plain(words: str, pages: Sequence[SitePage]) -> list[SearchHit]:
    """Pages whose text has any of the words, those with the most of them first."""
    wanted = set(terms(words)) - STOP
    found = sorted(_counted(wanted, pages), key=lambda one: (-one[0], one[1].path))
    return [_plain_hit(page, wanted) for _, page in found[:MOST_PLAIN]]


def _plain_hit(page: SitePage, wanted: set[str]) -> SearchHit:
    text = " ".join(page.document.body[:MOST_TEXT].split())
    return SearchHit(page.path, page.url, page.title, "", "", excerpt(text, wanted), page.meta.draft)


def _counted(wanted: set[str], pages: Sequence[SitePage]) -> Iterator[tuple[int, SitePage]]:
    for page in pages:
        said = f"{page.title} {page.document.body[:MOST_TEXT]}".casefold()
        if count := sum(term in said for term in wanted):
            yield count, page
