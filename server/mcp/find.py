"""The search of a site, for its tools."""

from __future__ import annotations

from collections.abc import Sequence

from server.mcp.built_site import BuiltSite, PageEntry
from server.mcp.reading import Find, Found, SiteReader


def opened(site: BuiltSite) -> SiteReader:
    """A site with its search."""
    return SiteReader(site, finder(site))


def finder(site: BuiltSite) -> Find:
    """The search over titles and descriptions."""

    def find(query: str, most: int) -> Sequence[Found]:
        words = query.lower().split()
        scored = [(_score(page, words), page) for page in site.pages]
        best = sorted((each for each in scored if each[0]), key=lambda each: -each[0])
        return [Found(page.path, page.title, "", "", page.description) for _, page in best[:most]]

    return find


def _score(page: PageEntry, words: Sequence[str]) -> int:
    title, about = page.title.lower(), page.description.lower()
    return sum(3 * (word in title) + (word in about) for word in words)
