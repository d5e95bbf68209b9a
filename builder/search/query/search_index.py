"""The index of a built site, asked for words: the files that a browser asks for, and the same answers."""

from __future__ import annotations

from collections.abc import Sequence

from builder.search.query.answers import Answers, Hit
from builder.search.query.index_files import FOLDER, KEPT, IndexFiles, IndexMissing, KeptFiles, Read
from builder.search.shards import ENTRY


class SearchIndex:
    """The search of a site, whose files `read` gives by their output paths: `_tp/search.json` first.

    It follows the site: when that was built anew, the next search is in the new index. What was read last
    is kept, `kept` bytes at most. Any thread may search.
    """

    def __init__(self, read: Read, kept: int = KEPT) -> None:
        self._read = read
        self._files = KeptFiles(read, kept)
        self._known: tuple[bytes, Answers] | None = None

    def search(self, words: str, limit: int = 10, offset: int = 0, sections: int = 1) -> Sequence[Hit]:
        """Return the pages that answer a query, best first: `limit` of them from the place `offset` on.

        Each has its best `sections`, four at most. The order is that of the site's own search.
        Raises IndexMissing if the site has no index.
        """
        index = self._index()
        try:
            return index.search(words, range(offset, offset + limit), sections)
        except IndexMissing:
            # The site may have been built in between: its files have other names then.
            if (new := self._index()) is index:
                raise
            return new.search(words, range(offset, offset + limit), sections)

    def _index(self) -> Answers:
        entry = self._read(FOLDER + ENTRY)
        if entry is None:
            raise IndexMissing(ENTRY)
        if self._known is None or self._known[0] != entry:
            self._known = entry, Answers(IndexFiles(entry, self._files))
        return self._known[1]
