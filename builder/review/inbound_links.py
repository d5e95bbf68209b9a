"""Links that lead to a page: which pages may have one, and those in the settings that lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from urllib.parse import quote

from msgspec import Struct

from builder import site
from builder.markdown.body import MAY_INCLUDE
from builder.markdown.context import INCLUDING, Context
from builder.review.surroundings import Surroundings
from builder.site import Site, SitePage

SETTINGS_FILES = frozenset({*site.SETTINGS, site.REDIRECTS_FILE})
"""The files of the settings in which links may be."""
_LEADS_NOWHERE = frozenset({"broken-link", "link-draft", "redirect-invalid", "sidebar-invalid"})
"""Codes of links in the settings."""


class Inbound(Struct, frozen=True, order=True):
    """A link to a page, at its place in the file of the page `path` or of that page's twin.

    `path` is empty for a link of the settings: of the header, the sidebar, or a redirect.
    """

    path: str
    file: str
    line: int
    column: int


def may_include(page: SitePage, context: Context) -> bool:
    """Return whether a page may show more than its own text, which may be another by now."""
    if page.format != "mdx":
        return False
    if not INCLUDING.isdisjoint(context.extras):
        return MAY_INCLUDE.search(page.document.body) is not None
    return "%{" in page.document.body and bool(context.parts.variables(page.path))


def mentions(page: SitePage, names: Collection[str]) -> bool:
    """Return whether a link to one of these may be in the page: it has the name, or leads to a folder."""
    texts = (page.document.body, page.twin or "")
    spellings = {spelled for name in names for spelled in (name, quote(name))}
    return "index" in names or any(spelled in text for spelled in spellings for text in texts)


def last_names(now: Site, path: str) -> Iterator[str]:
    """Yield the last name in the address of the page at `path`, which may be another than the path's."""
    for page in (*now.pages, *now.drafts):
        if page.path == path and page.place:
            yield page.place.rpartition("/")[2]


def emptied_folders(now: Site, path: str) -> Iterator[str]:
    """Yield the last names of folders without another page: their own pages would go with this one."""
    others = [page.path for page in (*now.pages, *now.drafts) if page.path != path]
    folder = path.rpartition("/")[0]
    while folder and not any(other.startswith(f"{folder}/") for other in others):
        yield folder.rpartition("/")[2]
        folder = folder.rpartition("/")[0]


def links_of_settings(around: Surroundings) -> frozenset[tuple[str, int, int]]:
    """Return the places in the settings of links that lead nowhere."""
    return frozenset(
        (one.file, one.line, one.column)
        for one in around.diagnostics
        if one.file in SETTINGS_FILES and one.code in _LEADS_NOWHERE
    )
