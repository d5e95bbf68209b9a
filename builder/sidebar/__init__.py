"""The sidebar: its tree, its HTML, and a page's place in it."""

from builder.sidebar.navigation import (
    WHOLE_TREE,
    Link,
    PagePosition,
    Sidebar,
    categories_in_order,
    pages_in_order,
    places,
    written_links,
)
from builder.sidebar.tree import Category, Child, Extra, Item, build

__all__ = [
    "WHOLE_TREE",
    "Category",
    "Child",
    "Extra",
    "Item",
    "Link",
    "PagePosition",
    "Sidebar",
    "build",
    "categories_in_order",
    "pages_in_order",
    "places",
    "written_links",
]
