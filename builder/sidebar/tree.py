"""The sidebar as a tree of values: folders become categories, pages their items, in the authors' order."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder import paths
from builder.paths import PAGES
from builder.site import SitePage, readable
from builder.store import CategoryRecord

ROOT = "docs"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Item(Struct, frozen=True):
    """A page in its category; never a category's own index page, but for the root's."""

    page: SitePage
    own_label: str = ""

    @property
    def label(self) -> str:
        """The label in the sidebar."""
        return self.own_label or self.page.label

    @property
    def url(self) -> str:
        """Address from the site's root."""
        return self.page.url


class Extra(Struct, frozen=True):
    """An entry that is no page: a link, or without `url` a heading. Only a sidebar file has these.

    `where` is the place of a link whose `url` is as its author wrote it.
    """

    label: str
    url: str
    where: str = ""


class Category(Struct, frozen=True):
    """A folder. `index` is its own page, or None: then one is generated at the same address.

    `collapsed` is None when the author said nothing. `children` are in sidebar order.
    `place` is that of its page when it is elsewhere than the path says, see `paths.place_of`.
    `href` is the address of a group's first page, `name` that of a group which is a sidebar of its own.
    `is_linked` is False where the folder's own page is unlisted.
    """

    path: str
    label: str
    collapsed: bool | None
    index: SitePage | None
    children: tuple[Child, ...]
    place: str = ""
    is_linked: bool = True
    href: str = ""
    name: str = ""

    @property
    def url(self) -> str:
        """Address of the folder's page, own or generated; empty when no list may name that."""
        if not self.is_linked:
            return ""
        if self.href:
            return self.href
        if self.index is not None:
            return self.index.url
        return paths.url(f"{self.path}/index", self.place)


Child = Category | Item | Extra


def build(
    pages: Iterable[SitePage], records: Mapping[str, CategoryRecord], docs_at: str = "/docs"
) -> Category:
    """The tree of all documentation pages; its root is the folder `docs`."""
    folders: dict[str, list[SitePage]] = {ROOT: []}
    inner: dict[str, set[str]] = {ROOT: set()}
    hidden: set[str] = set()
    for page in pages:
        if page.meta.unlisted and page.is_index:
            hidden.add(page.folder)
        if page.is_doc and page.is_listed:
            folders.setdefault(page.folder, []).append(page)
            _link_parents(page.folder, inner)
    return _category(ROOT, _Folders(folders, inner, records, docs_at, hidden))


def of_root(root: Category) -> Category:
    """The folder `docs` as a category of another tree, its first page its own."""
    own = next((child for child in root.children if isinstance(child, Item) and child.page.is_index), None)
    index = own.page if own and own.page.path == f"{ROOT}/index" else None
    children = tuple(child for child in root.children if child is not own) if index else root.children
    place = root.place or f"/{ROOT}/index"
    label = index.label if index else root.label
    return replace(root, label=label, index=index, children=children, place=place)


def of_standalone(path: str, pages: Iterable[SitePage]) -> Category | None:
    """The folder `pages` as a category at a path of the tree, the home page its own; None without pages."""
    order = sorted(pages, key=lambda page: (not page.is_index, _order(_place(page), page.label, page.path)))
    if not order:
        return None
    index = order[0] if order[0].is_index else None
    children = tuple(map(Item, order[1:] if index else order))
    label, href = (index.label, "") if index else (readable(PAGES), order[0].url)
    return Category(path, label, None, index, children, href=href)


class _Folders(Struct, frozen=True):
    """Pages and folders by folder, the records, where `docs` lies, and folders with an unlisted page."""

    pages: Mapping[str, list[SitePage]]
    inner: Mapping[str, set[str]]
    records: Mapping[str, CategoryRecord]
    docs_at: str
    hidden: Container[str]


def _link_parents(folder: str, inner: dict[str, set[str]]) -> None:
    """Make every folder on the way down from the root known to its parent."""
    while folder != ROOT:
        parent = folder.rpartition("/")[0]
        inner.setdefault(folder, set())
        siblings = inner.setdefault(parent, set())
        if folder in siblings:
            return
        siblings.add(folder)
        folder = parent


def _category(path: str, folders: _Folders) -> Category:
    """One folder with all below it; folders nest at most eight deep, so recursion is safe."""
    pages = folders.pages.get(path, ())
    own = next((page for page in pages if page.is_index), None)
    index = own if path != ROOT else None
    entries: list[tuple[_Order, Category | Item]] = [
        (_order(_place(page), page.label, page.path), Item(page)) for page in pages if page is not index
    ]
    for folder in folders.inner[path]:
        child = _category(folder, folders)
        entries.append((_order(_position(child, folders.records.get(folder)), child.label, folder), child))
    entries.sort(key=lambda entry: entry[0])
    record = folders.records.get(path)
    collapsed = record.collapsed if record else None
    children = tuple(entry for _, entry in entries)
    place = paths.place_of(f"{path}/index", folders.docs_at)
    return Category(
        path, _label(path, record, own), collapsed, index, children, place, path not in folders.hidden
    )


def _place(page: SitePage) -> float | None:
    """The page's position; the first page of the documentation comes first when it has none."""
    position = page.meta.sidebar_position
    return -math.inf if position is None and page.is_index else position


def _label(path: str, record: CategoryRecord | None, index: SitePage | None) -> str:
    if record and record.label:
        return _CONTROL.sub("\ufffd", record.label)
    return index.label if index else readable(path)


def _position(child: Category, record: CategoryRecord | None) -> float | None:
    if record and record.position is not None:
        return record.position
    return child.index.meta.sidebar_position if child.index else None


_Order = tuple[float, str, str]


def _order(position: float | None, label: str, path: str) -> _Order:
    """Positioned entries by number, then the others by label; the path decides between equals."""
    return (math.inf if position is None else position, label.casefold(), path)
