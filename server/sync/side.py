"""One side of a push or pull, as values: its pages by content path, and its categories."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from server.authoring.structs import Category

FIELDS = ("label", "position", "collapsed")
"""The fields of a category."""


class PageState(Struct, frozen=True):
    """A page in one state: the digest of its content, and the revision that its side knows it by."""

    content: str
    revision: str = ""


class Unread(Struct, frozen=True):
    """The content paths of one side that nobody can compare, each with the reason."""

    pages: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    """All that lies below them is unread."""
    categories: Mapping[str, str] = field(default_factory=dict)

    def hides_page(self, path: str) -> bool:
        """Return whether nobody knows if there is such a page."""
        return path in self.pages or self._is_below(path)

    def hides_category(self, path: str) -> bool:
        """Return whether nobody knows what is said about this folder."""
        return path in self.categories or path in self.folders or self._is_below(path)

    def _is_below(self, path: str) -> bool:
        parts = path.split("/")
        return any("/".join(parts[:end]) in self.folders for end in range(1, len(parts)))


class Side(Struct, frozen=True):
    """The pages and categories of one side, by content path."""

    pages: Mapping[str, PageState] = field(default_factory=dict)
    categories: Mapping[str, Category] = field(default_factory=dict)
    unread: Unread = field(default_factory=Unread)

    def content(self, path: str) -> str | None:
        """The digest of a page's content, None where there is no page."""
        state = self.pages.get(path)
        return None if state is None else state.content

    def category(self, path: str) -> Category:
        """The record of a folder, empty where nothing was said about it."""
        return self.categories.get(path) or blank(path)


def blank(path: str) -> Category:
    """The record of a folder that nothing was said about."""
    return Category(path, None, None, None)


def is_blank(category: Category) -> bool:
    """Return whether a record says nothing."""
    return all(getattr(category, name) is None for name in FIELDS)


def with_field(category: Category, name: str, value: object) -> Category:
    """The record with one field set; None clears it."""
    return replace(category, **{name: value})
