"""Keys: digests of all that something is made of. What has the same key is the same, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from builder.cache.fingerprint import fingerprint
from builder.digests import digest
from builder.markdown.context import Context
from builder.render import Shared
from builder.sidebar import Category, Extra, Item
from builder.site import SitePage

_ASKED_FOR = frozenset({"links", "sizes", "site_digest", "parts"})
"""What a page has a part of alone: that part is looked at for each page."""
_OF_TREE = frozenset({"context", "root", "sidebar", "places", "theme_folders"})
_OF_ONE = frozenset({"updated", "templates"})
"""What says something of single pages, and stands in the keys of their files."""


def context_key(context: Context) -> bytes:
    """Of the engine, and of what all pages are rendered with."""
    rest = [getattr(context, name) for name in context.__struct_fields__ if name not in _ASKED_FOR]
    # The order of a set is another one in each process.
    return digest(fingerprint(), [sorted(value) if isinstance(value, frozenset) else value for value in rest])


def page_key(page: SitePage, context: bytes) -> bytes | None:
    """Of a page's source; None when it has something that no key can be made of."""
    if not page.digest:
        return None
    if page.in_sidebar:
        return digest(context, page.digest, page.place, "in the sidebar")
    if page.place or page.left_out:
        return digest(context, page.digest, page.place, page.left_out)
    return digest(context, page.digest)


def shell_key(shared: Shared, context: bytes) -> bytes:
    """Of what stands around the pages: the theme, `site.yml`, the tree of the sidebar."""
    rest = [getattr(shared, name) for name in shared.__struct_fields__ if name not in _OF_TREE | _OF_ONE]
    state, sidebar = shared.theme_folders.state, shared.sidebar
    return digest(context, rest, state, sidebar.whole, list(sidebar.hrefs.items()), list(_tree(shared.root)))


def folders_key(categories: Iterable[Category]) -> bytes:
    """Of folders that have a generated page but need not stand in the sidebar, as that was written down."""
    return digest([list(_tree(category)) for category in categories])


def _tree(category: Category) -> Iterator[object]:
    """Yield what a frame may say of the pages around its own, in order."""
    index = category.index and category.index.listing
    yield category.path, category.label, category.collapsed, category.url, category.name, index
    for child in category.children:
        if isinstance(child, Item):
            yield child.page.listing, child.own_label
        elif isinstance(child, Extra):
            yield child.label, child.url
        else:
            yield from _tree(child)
    yield None
