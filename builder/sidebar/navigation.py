"""Place of a page in the site: breadcrumbs, the page before and the page after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from builder.sidebar.tree import Category, Item
from builder.site import SitePage


class Link(Struct, frozen=True):
    """A label and where it leads; `href` has the base path, or is empty for a label alone."""

    label: str
    href: str


class Place(Struct, frozen=True):
    """Where a page stands. `chain` are its categories from the top, without the root."""

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
        else:
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


def places(root: Category) -> Mapping[str, Place]:
    """The place of every documentation page, by content path."""
    chains: dict[str, tuple[Category, ...]] = {root.path: ()}
    chains.update((category.path, chain) for category, chain in categories_in_order(root))
    order = list(pages_in_order(root))
    found: dict[str, Place] = {}
    for n, page in enumerate(order):
        before = order[n - 1] if n else None
        after = order[n + 1] if n + 1 < len(order) else None
        found[page.path] = Place(chains[page.folder], before, after)
    return found
