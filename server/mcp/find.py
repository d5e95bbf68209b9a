"""The tools over the files of a built site, with the site's own search."""

from __future__ import annotations

from collections.abc import Sequence

from builder.search.query import Hit, IndexMissing, SearchIndex
from builder.search.shards import ENTRY
from server.http.failure import Failure
from server.mcp.built_site import BuiltSite, Read
from server.mcp.reading import Find, Found, SiteReader

_FOLDER = "_tp/"


def opened(read: Read) -> SiteReader:
    """A site whose files stay as they are: who opens it opens it anew when it has changed."""
    return SiteReader(BuiltSite(read), finder(read))


def finder(read: Read) -> Find:
    """The search of a site, which reads its index when it is first asked."""
    entry: list[bytes | None] = []

    def read_index(name: str) -> bytes | None:
        if name != ENTRY:
            return read(_FOLDER + name)
        if not entry:  # each search looks at this file, which stays as it is
            entry.append(read(_FOLDER + name))
        return entry[0]

    index = SearchIndex(read_index)

    def find(query: str, offset: int, limit: int) -> Sequence[Found]:
        try:
            return [_found(hit) for hit in index.search(query, limit, offset)]
        except IndexMissing:
            if not entry or entry[0] is None:
                raise Failure("NOT_FOUND", "this site has no search; use `list`") from None
            entry.clear()  # the site was built anew a moment ago
            return [_found(hit) for hit in index.search(query, limit, offset)]

    return find


def _found(hit: Hit) -> Found:
    return Found(hit.url, hit.title, hit.section, hit.anchor, hit.excerpt)
