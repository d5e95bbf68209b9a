"""The tools over the files of a built site, with the site's own search."""

from __future__ import annotations

from collections.abc import Sequence

from builder.search.query import Hit, IndexMissing, SearchIndex
from builder.search.query.index_files import FOLDER, KEPT
from builder.search.shards import ENTRY
from server.http.failure import Failure
from server.mcp.built_site import BuiltSite, Read
from server.mcp.reading import Found, SiteReader

_ENTRY = FOLDER + ENTRY


def opened(read: Read, kept: int = KEPT) -> SiteReader:
    """A site whose files stay as they are: who opens it opens it anew when it has changed.

    Of its index `kept` bytes are kept, which take some five times as much memory.
    """
    return SiteReader(BuiltSite(read), Finder(read, kept).find)


class Finder:
    """The search of a site, which reads what it needs when it is first asked. Any thread may ask."""

    def __init__(self, read: Read, kept: int) -> None:
        self._read = read
        self._entry: list[bytes | None] = []
        self._index = SearchIndex(self._read_index, kept)

    def _read_index(self, name: str) -> bytes | None:
        if name != _ENTRY:
            return self._read(name)
        if not self._entry:  # each search looks at this file, which stays as it is
            self._entry.append(self._read(name))
        return self._entry[0]

    def find(self, query: str, offset: int, limit: int) -> Sequence[Found]:
        """The pages that fit, from a place on. Raises Failure where a site has no search."""
        try:
            return [_found(hit) for hit in self._index.search(query, limit, offset)]
        except IndexMissing:
            if not self._entry or self._entry[0] is None:
                raise Failure("NOT_FOUND", "this site has no search; use `list`") from None
            self._entry.clear()  # the site was built anew a moment ago
            return [_found(hit) for hit in self._index.search(query, limit, offset)]


def _found(hit: Hit) -> Found:
    return Found(hit.url, hit.title, hit.section, hit.anchor, hit.excerpt)
