"""The twins of all pages, when the lists that hold them are made."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.produce.author_pages import AuthorPages
from builder.produce.results import PageResults
from builder.site import SitePage


def site_twins(pages: AuthorPages, by_path: Mapping[str, SitePage], results: PageResults) -> SiteTwins:
    """The twins of all pages; those of a small site are had at once, which is quicker."""
    known = dict(results.twins)
    if not results.is_large:
        known.update(pages.twins([by_path[path] for path in results.unchanged]))
    return SiteTwins(pages, by_path, known)


class SiteTwins(Struct, frozen=True):
    """The twins of all pages: those that are `known`, and others as the cache has them, one at a time."""

    pages: AuthorPages
    by_path: Mapping[str, SitePage]
    known: Mapping[str, bytes]

    def text(self, path: str) -> str:
        """The twin of the page at a content path."""
        known = self.known.get(path)
        return (self.pages.twin(self.by_path[path]) if known is None else known).decode()

    def size(self, path: str) -> int:
        """The bytes of that without the white space around it."""
        return self.pages.twin_sizes[path]
