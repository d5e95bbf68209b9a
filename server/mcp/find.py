"""The tools over the files of a built site, with the site's own search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from builder.search.query import Hit, IndexMissing, SearchIndex
from builder.search.shards import ENTRY
from server.http.failure import Failure
from server.mcp.built_site import BuiltSite, PageEntry, Read
from server.mcp.questions import Descriptions, joined, words_of
from server.mcp.reading import Found, SiteReader

_FOLDER = "_tp/"
JOINED = 12
"""Pages of each kind that answer a question."""


def opened(read: Read) -> SiteReader:
    """A site whose files stay as they are: who opens it opens it anew when it has changed."""
    site = BuiltSite(read)
    return SiteReader(site, Finder(site).find)


class Finder:
    """The search of a site, which reads what it needs when it is first asked. Any thread may ask."""

    def __init__(self, site: BuiltSite) -> None:
        self._site = site
        self._entry: list[bytes | None] = []
        self._index = SearchIndex(self._read)

    @cached_property
    def _descriptions(self) -> Descriptions:
        return Descriptions(self._site.pages)

    def _read(self, name: str) -> bytes | None:
        if name != ENTRY:
            return self._site.read(_FOLDER + name)
        if not self._entry:  # each search looks at this file, which stays as it is
            self._entry.append(self._site.read(_FOLDER + name))
        return self._entry[0]

    def find(self, query: str, offset: int, limit: int) -> Sequence[Found]:
        """The pages that fit, from a place on. Raises Failure where a site has no search."""
        words = words_of(query)
        if words is None:
            return [_found(hit) for hit in self._hits(query, offset, limit)]
        return self._answer(words)[offset : offset + limit]

    def _answer(self, words: Sequence[str]) -> Sequence[Found]:
        """The pages that fit a question."""
        hits = {hit.url: _found(hit) for hit in self._hits(" ".join(words), 0, JOINED)}
        told = {page.path: page for page in self._descriptions.find(words, JOINED)}
        return [hits.get(path) or _told(told[path]) for path in joined(list(hits), list(told))]

    def _hits(self, query: str, offset: int, limit: int) -> Sequence[Hit]:
        try:
            return self._index.search(query, limit, offset)
        except IndexMissing:
            if not self._entry or self._entry[0] is None:
                raise Failure("NOT_FOUND", "this site has no search; use `list`") from None
            self._entry.clear()  # the site was built anew a moment ago
            return self._index.search(query, limit, offset)


def _found(hit: Hit) -> Found:
    return Found(hit.url, hit.title, hit.section, hit.anchor, hit.excerpt)


def _told(page: PageEntry) -> Found:
    return Found(page.path, page.title, "", "", page.description)
