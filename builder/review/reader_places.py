"""The places at which readers find the pages of a site: in the sidebar, the header and the footer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from builder.config import SiteConfig
from builder.plan.layout import HOME
from builder.review.surroundings import Surroundings
from builder.sidebar import Category, Extra, Item
from builder.site import Site, SitePage

Unlisted = Literal["", "draft", "unlisted", "left-out", "standalone", "home"]
"""The reason why the sidebar does not have a page: "" for one that it has."""


class SidebarPlace(Struct, frozen=True):
    """The labels that lead to an entry of the sidebar, its own last; and its place among its siblings."""

    labels: tuple[str, ...]
    position: int
    siblings: int


class ReaderPlace(Struct, frozen=True):
    """A page's place in the sidebar, or why it has none; and the parts of the frame that link to it.

    `sidebar_file` is the file that names the entries of the sidebar, "" where it follows the folders.
    """

    sidebar: SidebarPlace | None
    why: Unlisted
    linked_in: tuple[Literal["header", "footer"], ...]
    sidebar_file: str


class ReaderPlaces:
    """Finds the places of pages in a site."""

    def __init__(self, site: Site, around: Surroundings) -> None:
        self._site, self._around = site, around
        self._pages = {page.path: page for page in (*site.pages, *site.drafts)}
        layout = around.layout
        self._sidebar: Mapping[str, SidebarPlace] = dict(_entries(layout.root)) if layout else {}
        self._frame = _addresses(site.config)
        has_list = bool(site.config.sidebar)
        self._file = site.config.sidebar_place("sidebar")[0] if has_list else ""

    def of(self, path: str) -> ReaderPlace | None:
        """Return the place of the page at a path, None where there is no such page."""
        page = self._pages.get(path)
        if page is None:
            return None
        found = None if page.meta.draft else self._sidebar.get(path)
        linked = tuple(part for part, addresses in self._frame.items() if _bare(page.url) in addresses)
        return ReaderPlace(found, "" if found else self._why(page), linked, self._file)

    def _why(self, page: SitePage) -> Unlisted:
        if page.meta.draft:
            return "draft"
        if page.meta.unlisted:
            return "unlisted"
        if page.path == HOME:
            return "home"
        return "left-out" if page.is_doc else "standalone"


def _entries(category: Category, above: tuple[str, ...] = ()) -> Iterator[tuple[str, SidebarPlace]]:
    """The places of the pages below a category; of a page that is there twice, the last one."""
    children = [child for child in category.children if not isinstance(child, Extra)]
    for number, child in enumerate(children, 1):
        if isinstance(child, Item):
            yield child.page.path, SidebarPlace((*above, child.label), number, len(children))
        else:
            labels = (*above, child.label)
            if child.index is not None and child.is_linked:
                yield child.index.path, SidebarPlace(labels, number, len(children))
            yield from _entries(child, labels)


def _addresses(config: SiteConfig) -> Mapping[Literal["header", "footer"], frozenset[str]]:
    """The addresses to which header and footer lead, from the site's root."""
    return {
        "header": frozenset(_address(link.href) for link in config.nav_links()),
        "footer": frozenset(_address(link.href) for link in config.footer.every_link()),
    }


def _address(href: str) -> str:
    split = urlsplit(href)
    return "" if split.scheme or split.netloc else _bare(unquote(split.path))


def _bare(address: str) -> str:
    """The address without the slash at the end of a folder's, which links may leave out."""
    return address.rstrip("/") or "/"
