"""The sidebar as HTML, and the place of each page in it: breadcrumbs, the page before and the page after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from markupsafe import escape
from msgspec import Struct, field
from msgspec.structs import replace

from builder.sidebar.tree import Category, Child, Extra, Item
from builder.site import SitePage
from components.words import ENGLISH, Words, fitted


class Link(Struct, frozen=True):
    """A label and where it leads; `href` has the base path, or is empty for a label alone."""

    label: str
    href: str


class PagePosition(Struct, frozen=True):
    """The position of a page. `chain` are its categories from the top, without the root."""

    chain: tuple[Category, ...]
    previous: SitePage | None
    next: SitePage | None


def pages_in_order(root: Category) -> Iterator[SitePage]:
    """All documentation pages as a reader meets them: a category's own page first, then its children."""
    if root.index:
        yield root.index
    for child in root.children:
        if isinstance(child, Item):
            yield child.page
        elif isinstance(child, Category):
            yield from pages_in_order(child)


def categories_in_order(root: Category) -> Iterator[tuple[Category, tuple[Category, ...]]]:
    """Every category below the root with the chain of those above it, itself last."""
    stack: list[tuple[Category, tuple[Category, ...]]] = [(root, ())]
    while stack:
        category, chain = stack.pop()
        if chain:
            yield category, chain
        inner = [child for child in category.children if isinstance(child, Category)]
        stack.extend((child, (*chain, child)) for child in reversed(inner))


def written_links(root: Category) -> Iterator[Extra]:
    """The links of the sidebar that its author wrote, from the top."""
    for child in root.children:
        if isinstance(child, Extra) and child.where:
            yield child
        elif isinstance(child, Category):
            yield from written_links(child)


def places(root: Category) -> Mapping[str, PagePosition]:
    """The place of every documentation page, by content path; each sidebar is an order of its own."""
    found: dict[str, PagePosition] = {}
    for _, pages in groupby(_walk(root, ()), key=lambda each: id(_part(each[1]))):
        order = list(pages)
        before = [None, *(page for page, _ in order)]
        after = [*before[2:], None]
        for (page, chain), previous, following in zip(order, before, after, strict=False):
            found[page.path] = PagePosition(chain, previous, following)
    return found


def _walk(category: Category, chain: tuple[Category, ...]) -> Iterator[tuple[SitePage, tuple[Category, ...]]]:
    """Yield the pages in order, each with its categories."""
    if category.index:
        yield category.index, chain
    for child in category.children:
        if isinstance(child, Item):
            yield child.page, chain
        elif isinstance(child, Category):
            yield from _walk(child, (*chain, child))


def _part(chain: Sequence[Category]) -> Category | None:
    return chain[0] if chain and chain[0].name else None


WHOLE_TREE = 300
"""Up to this many pages every sidebar holds the whole tree."""
WINDOW = 200
"""Beyond that, at most this many siblings around the current entry of each level."""


class Sidebar(Struct):
    """Makes sidebars for the pages of one tree. `base` is the site's base path.

    `hrefs` are the addresses to which written links lead, by their `where`.
    """

    root: Category
    base: str
    whole: bool
    words: Words = ENGLISH
    hrefs: Mapping[str, str] = {}
    _closed: dict[str, str] = field(default_factory=dict)
    _lists: dict[str, list[str]] = field(default_factory=dict)
    _rest: Category | None = None
    _numbers: dict[str, tuple[Category, dict[str, int]]] = field(default_factory=dict)

    def html(self, path: str, chain: Sequence[Category]) -> str:
        """The sidebar of the page at this content path, which stands in these categories.

        An index page's own category is the last of the chain. A page that is not in the tree has the
        tree with nothing marked.
        """
        part = _part(chain)
        if part is not None:
            return self._list(part, path, tuple(chain[1:]))
        if self._rest is None:
            rest = tuple(
                child for child in self.root.children if not isinstance(child, Category) or not child.name
            )
            self._rest = (
                self.root if len(rest) == len(self.root.children) else replace(self.root, children=rest)
            )
        return self._list(self._rest if self._rest.children else self.root, path, tuple(chain))

    def _list(self, category: Category, path: str, chain: tuple[Category, ...]) -> str:
        children, ahead = category.children, chain[0] if chain else None
        here = self._place(category, path, ahead)
        window = self._window(len(children), here or 0)
        parts = self._others(category, window)
        if here is not None:
            parts[here - window.start] = self._here(children[here], path, chain)
        if len(parts) < len(children) and category.url:
            # It stands among the pages of its own category, so it does not unfold.
            parts.append(self._link("tp-all", category, fitted(self.words.all_of, category.label)))
        return f'<ul class="tp-tree">{"".join(parts)}</ul>'

    def _place(self, category: Category, path: str, ahead: Category | None) -> int | None:
        """The number of the entry that leads to the current page: `ahead` where that is a category."""
        children = category.children
        if len(children) > WINDOW:  # of thousands of entries it is looked up
            owner, known = self._numbers.get(category.path, (None, {}))
            if owner is not category:
                known = {_name(child): number for number, child in enumerate(children)}
                self._numbers[category.path] = category, known
            found = known.get(_name(ahead) if ahead else path)
            if found is not None and _is_here(children[found], path, ahead):
                return found
        return next((n for n, child in enumerate(children) if _is_here(child, path, ahead)), None)

    def _window(self, count: int, here: int) -> slice:
        if self.whole or count <= WINDOW:
            return slice(0, count)
        start = max(0, min(here - WINDOW // 2, count - WINDOW))
        return slice(start, start + WINDOW)

    def _others(self, category: Category, window: slice) -> list[str]:
        """The entries in the window as they are when the current page is in none of them.

        They are kept for the next page, unless each page has a window of its own.
        """
        # A folder in a sidebar that is written down may have the path of the sidebar's top: `docs`.
        key = "" if category is self.root or category is self._rest else category.path
        known = self._lists.get(key)
        if known is None:
            shown = category.children[window]
            known = [self._other(entry) for entry in shown]
            if len(shown) == len(category.children):
                self._lists[key] = known
        return known.copy()

    def _other(self, entry: Child) -> str:
        if isinstance(entry, Item):
            return self._item(entry)
        if isinstance(entry, Extra):
            return self._extra(entry)
        closed = self._closed.get(entry.path)
        if closed is None:
            closed = self._closed[entry.path] = self._away(entry)
        return closed

    def _here(self, entry: Child, path: str, chain: tuple[Category, ...]) -> str:
        """The entry of the current page, or of the category on the way to it."""
        if isinstance(entry, Item):
            return self._item(entry, current=True)
        if isinstance(entry, Extra):
            return self._extra(entry)
        return self._branch(entry, path, chain[1:])

    def _item(self, item: Item, *, current: bool = False) -> str:
        mark = ' aria-current="page"' if current else ""
        draft = self._draft() if item.page.meta.draft else ""
        return f'<li><a href="{escape(self.base + item.url)}"{mark}>{escape(item.label)}</a>{draft}</li>'

    def _extra(self, entry: Extra) -> str:
        if not entry.url:
            return f'<li class="tp-heading"><strong>{escape(entry.label)}</strong></li>'
        href = self.hrefs.get(entry.where, entry.url)
        return f'<li><a href="{escape(href)}">{escape(entry.label)}</a></li>'

    def _branch(self, category: Category, path: str, rest: tuple[Category, ...]) -> str:
        """A category on the way to the current page: open."""
        current = path == (category.index.path if category.index else f"{category.path}/index")
        return self._details(category, self._list(category, path, rest), is_open=True, current=current)

    def _away(self, category: Category) -> str:
        """A category that the current page is not in: as its author wants it, or a link when it is much."""
        if not self.whole and category.collapsed is not False and category.url:
            return self._link("tp-more", category, category.label)
        top = category.path.count("/") <= 1
        is_open = category.collapsed is False or (category.collapsed is None and top)
        return self._details(category, self._list(category, "", ()), is_open=is_open, current=False)

    def _details(self, category: Category, inner: str, *, is_open: bool, current: bool) -> str:
        mark = ' aria-current="page"' if current else ""
        link = f'<a href="{escape(self.base + category.url)}"{mark}>{escape(category.label)}</a>'
        if not category.url:
            link = f'<span class="tp-label">{escape(category.label)}</span>'
        if category.index is not None and category.index.meta.draft:
            link += self._draft()
        # Beside the link, not around it: a control within a control is out of reach for many readers.
        label = fitted(self.words.category, category.label)
        summary = f'<summary aria-label="{escape(label)}"></summary>'
        return f"<li>{link}<details{' open' if is_open else ''}>{summary}{inner}</details></li>"

    def _draft(self) -> str:
        return f' <span class="tp-draft">{escape(self.words.draft)}</span>'

    def _link(self, kind: str, category: Category, label: str) -> str:
        return f'<li class="{kind}"><a href="{escape(self.base + category.url)}">{escape(label)}</a></li>'


def _name(child: Child) -> str:
    """Return the name that tells an entry from most others beside it."""
    if isinstance(child, Item):
        return child.page.path
    return f"{child.path}/" if isinstance(child, Category) else ""


def _is_here(child: Child, path: str, ahead: Category | None) -> bool:
    return child.page.path == path if isinstance(child, Item) else child is ahead
