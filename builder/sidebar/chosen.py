"""The sidebar as its author has written it down: pages, groups, folders, links and headings, in their order.

docs/start                               a page
{page: docs/start, label: Begin}         a page under another name
{label: Guide, items: [...]}             a group; with `name` a part of the site that `nav` can name
{folder: docs/reference}                 a folder as it is; `docs` or `pages` is one, too
{label: Status, href: https://...}       a link
{heading: More}                          a heading
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SidebarEntry, SiteConfig
from builder.diagnostics import Diagnostic, did_you_mean
from builder.paths import PAGES
from builder.sidebar.navigation import categories_in_order, pages_in_order
from builder.sidebar.tree import ROOT, Category, Child, Extra, Item, of_root, of_standalone
from builder.site import SitePage

DEEPEST = 8
"""Groups within each other."""
_SHOWN = 10
_MOST_FOUND = 1_000
_MOST_HINTS, _LONG = 20, 1_000


class Chosen(Struct, frozen=True):
    """The tree, the paths of pages that it leaves out, those of standalone pages in it, and what is wrong."""

    root: Category
    left_out: frozenset[str]
    standalone: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def choose(config: SiteConfig, folders: Category, pages: Iterable[SitePage]) -> Chosen:
    """Build the tree that `sidebar` of `site.yml` describes, over the tree of the folders."""
    listed = {
        page.path: page if page.is_doc else replace(page, in_sidebar=True) for page in pages if page.is_listed
    }
    builder = _Builder(config, folders, listed)
    children = tuple(builder.children(config.sidebar, ROOT))
    root = replace(folders, children=children, index=None)
    shown = {page.path for page in pages_in_order(root)}
    left_out = frozenset(path for path, page in listed.items() if not page.in_sidebar and path not in shown)
    found = (*builder.found, *_unknown_parts(config, children), *_left_out(config, left_out))
    standalone = frozenset(path for path in shown if listed[path].in_sidebar)
    return Chosen(root, left_out, standalone, found)


class _Builder:
    """Builds children of groups; a page that two of them name is in the first; the other leads to it."""

    def __init__(self, config: SiteConfig, folders: Category, pages: Mapping[str, SitePage]) -> None:
        self.found: list[Diagnostic] = []
        self._config = config
        self._pages = pages
        self._folders = {folders.path: folders}
        self._folders.update((category.path, category) for category, _ in categories_in_order(folders))
        self._parts = {link.sidebar for link in config.nav_links() if link.sidebar}
        self._taken: set[str] = set()

    def children(self, entries: Iterable[SidebarEntry], above: str, depth: int = 0) -> Iterator[Child]:
        """Yield what each entry stands for; one that is wrong is left out and told."""
        here: set[str] = set()
        for number, entry in enumerate(entries):
            said = [name for name in ("page", "folder", "heading", "href") if getattr(entry, name)]
            if len(said) > 1 and not (entry.items and said == ["page"]):
                self._wrong(entry, f"says {' and '.join(f'`{name}`' for name in said)}", "keep one of them")
            elif entry.items or (not said and entry.name):
                yield from self._group(entry, f"{above}/~{number}", depth)
            elif entry.page in here:
                self._wrong(entry, f"`{entry.page}` is named twice", "keep one of the entries")
            elif entry.page:
                here.add(entry.page)
                yield from self._page(entry)
            elif entry.folder:
                yield from self._folder(entry, f"{above}/~{number}")
            elif entry.heading or (entry.href and entry.label):
                yield Extra(entry.heading or entry.label, entry.href, entry.where if entry.href else "")
            else:
                hint = "write a page, `{folder: ...}`, `{label: ..., items: [...]}`, a link or a heading"
                self._wrong(entry, "is no entry of a sidebar", hint)

    def _group(self, entry: SidebarEntry, path: str, depth: int) -> Iterator[Category]:
        if depth >= DEEPEST:
            self._wrong(entry, f"lies in more than {DEEPEST} groups", "make fewer levels")
            return
        own = next(self._page(entry), None) if entry.page else None
        index = own.page if isinstance(own, Item) else None
        children = tuple(self.children(entry.items, path, depth + 1))
        group = Category(
            path, entry.label or (index.label if index else entry.name), entry.collapsed, index, children
        )
        first = next(pages_in_order(group), None)
        is_part = bool(entry.name) and entry.name in self._parts and depth == 0
        if first is None:
            self._wrong(entry, "has no page", "name pages in `items`")
            return
        yield replace(group, href=first.url, name=entry.name if is_part else "")

    def _page(self, entry: SidebarEntry) -> Iterator[Item | Extra]:
        page = self._pages.get(entry.page)
        if page is None:
            self._wrong(entry, f"there is no page `{entry.page}`", self._near(entry.page, self._pages))
        elif page.path not in self._taken:
            self._taken.add(page.path)
            yield Item(page, entry.label)
        else:
            yield Extra(entry.label or page.label, f"{self._config.base_path}{page.url}")

    def _folder(self, entry: SidebarEntry, path: str) -> Iterator[Category]:
        folder = self._folders.get(entry.folder.rstrip("/"))
        if entry.folder.rstrip("/") == PAGES:
            folder = of_standalone(path, (page for page in self._pages.values() if page.in_sidebar))
        elif folder is not None and folder.path == ROOT:
            folder = of_root(folder)
        inner = {page.path for page in pages_in_order(folder)} if folder else set()
        if folder is None:
            hint = self._near(entry.folder, self._folders)
            self._wrong(entry, f"there is no folder `{entry.folder}` with pages", hint)
        elif inner & self._taken:
            self._wrong(entry, f"`{min(inner & self._taken)}` is named twice", "keep one of the entries")
        else:
            self._taken |= inner
            collapsed = folder.collapsed if entry.collapsed is None else entry.collapsed
            yield replace(folder, label=entry.label or folder.label, collapsed=collapsed)

    def _near(self, name: str, known: Iterable[str]) -> str:
        """A hint; none when there are very many faults, as each is held against all names."""
        return did_you_mean(name, known) if len(self.found) < _MOST_HINTS and len(name) < _LONG else ""

    def _wrong(self, entry: SidebarEntry, message: str, hint: str) -> None:
        if len(self.found) >= _MOST_FOUND:
            return
        file, line, column = self._config.sidebar_place(entry.where)
        self.found.append(
            Diagnostic(file, line, column, "sidebar-invalid", f"{entry.where}: {message}", hint)
        )


def _left_out(config: SiteConfig, left_out: frozenset[str]) -> Iterator[Diagnostic]:
    if left_out:
        names = sorted(left_out)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
        so, hint = "they are", "add them, or write `unlisted: true` into each"
        if len(names) == 1:
            so, hint = "it is", "add it, or write `unlisted: true` into it"
        message = f"no entry names {shown}{more}, so {so} unlisted"
        yield Diagnostic(*config.sidebar_place("sidebar"), "sidebar-left-out", message, hint)


def _unknown_parts(config: SiteConfig, children: Iterable[Child]) -> Iterator[Diagnostic]:
    known = {child.name for child in children if isinstance(child, Category) and child.name}
    names = [entry.name for entry in config.sidebar if entry.name]
    for item in config.nav_links():
        if item.sidebar and item.sidebar not in known:
            field = f"{item.where}.sidebar"
            message = f"{field}: there is no group with the name `{item.sidebar}` in the sidebar"
            place = config.place(field)
            yield Diagnostic(
                "site.yml", *place, "sidebar-invalid", message, did_you_mean(item.sidebar, names)
            )
