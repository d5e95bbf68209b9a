"""The sections of a site as lists for agents have them: folders and groups of the sidebar, with their pages.

A section knows the folder of the output that its own lists lie in: `docs/guide` for the folder `guide`. A
group of a sidebar file is no folder, so its own is named after its label. Pages directly in `docs`, and
standalone pages, make a section without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from builder import paths
from builder.lazy_regex import lazy
from builder.markdown.commonmark.slug import slugify
from builder.sidebar import Category, Extra, Item
from builder.site import SitePage
from components.twin import plain
from components.words import Words

_LONGEST_NAME = 40
"""Characters of a folder that is named after a label."""
_MARKS = "- []():  \n"
_MASKED = "\\`*[]<~|_&"
"""Characters that have a backslash before them in markdown, some of them only where they mean something."""
_GROUP = "~"
"""Begins the last name in the path of a group of the sidebar, see `builder.sidebar.chosen`."""


_ANY_MASKED = lazy(f"[{re.escape(_MASKED)}]")


def _masked(text: str) -> int:
    """Count the characters that have a backslash before them; most texts have none."""
    return sum(map(text.count, _MASKED)) if _ANY_MASKED.search(text) else 0


class IndexEntry(Struct, frozen=True):
    """A line: the page's title, the address of its twin from the site's root, and its description.

    `path` is the page's content path; a list, which no author wrote, has none.
    """

    title: str
    url: str
    about: str = ""
    path: str = ""

    def text(self, site: str) -> str:
        """The line; `site` is put before the address."""
        about = f": {plain(self.about)}" if self.about else ""
        return f"- [{plain(self.title)}]({site}{self.url}){about}"

    def longest(self, site: str) -> int:
        """Count the characters that the line and its end have at most: counting is quicker than masking."""
        shown = len(_MARKS) + len(self.title) + len(site) + len(self.url) + len(self.about)
        return shown + _masked(self.title) + _masked(self.about)


class Section(Struct, frozen=True):
    """Pages and inner sections, in the order of the sidebar. `folder` is that of its lists, if it has one."""

    label: str
    folder: str | None
    children: tuple[IndexEntry | Section, ...]
    about: str = ""

    @property
    def own(self) -> tuple[IndexEntry, ...]:
        """The pages that lie in no inner section."""
        return tuple(child for child in self.children if isinstance(child, IndexEntry))

    @property
    def inner(self) -> tuple[Section, ...]:
        """The inner sections."""
        return tuple(child for child in self.children if isinstance(child, Section))

    def every(self) -> Iterator[Section]:
        """The section, and all within it."""
        yield self
        for child in self.inner:
            yield from child.every()

    def entries(self) -> Iterator[IndexEntry]:
        """Every page as a reader meets them."""
        for child in self.children:
            if isinstance(child, IndexEntry):
                yield child
            else:
                yield from child.entries()


def sections_of(
    root: Category, standalone: Sequence[SitePage], generated: frozenset[str], words: Words
) -> tuple[Section, ...]:
    """The sections in the order of the sidebar: pages in no folder, the top categories, pages elsewhere.

    `generated` are the paths of the categories whose page is a list that the build makes.
    """
    label = words.documentation if root.label == "Docs" else root.label
    top = [*_own(root, generated), *(_entry(each.page) for each in root.children if isinstance(each, Item))]
    found = [Section(label, None, tuple(top))]
    docs = _folder_of(root)
    found += [_section(child, docs, generated) for child in root.children if isinstance(child, Category)]
    found.append(Section(words.pages, None, tuple(map(_entry, standalone))))
    return tuple(section for section in found if section.children)


def without_lists(section: Section) -> Section | None:
    """The section without the lists that the build makes; None when it has nothing else."""
    inner = (child if isinstance(child, IndexEntry) else without_lists(child) for child in section.children)
    children = tuple(child for child in inner if child and (not isinstance(child, IndexEntry) or child.path))
    return Section(section.label, section.folder, children, section.about) if children else None


def _section(category: Category, above: str, generated: frozenset[str]) -> Section:
    about = category.index.meta.description if category.index else ""
    folder = _own_folder(category, above)
    children = tuple(_children(category, above if folder is None else folder, generated))
    return Section(category.label, folder, children, about or "")


def _children(category: Category, folder: str, generated: frozenset[str]) -> Iterator[IndexEntry | Section]:
    """The pages as a reader meets them: a category's own page first, then its children."""
    if category.index:
        yield _entry(category.index)
    yield from _own(category, generated)
    for child in category.children:
        if isinstance(child, Item):
            yield _entry(child.page)
        elif not isinstance(child, Extra):
            inner = _section(child, folder, generated)
            if inner.children:
                yield inner


def _own(category: Category, generated: frozenset[str]) -> Iterator[IndexEntry]:
    if category.path in generated:
        yield IndexEntry(category.label, paths.twin_url(f"{category.path}/index", category.place))


def _entry(page: SitePage) -> IndexEntry:
    return IndexEntry(page.title, page.twin_url, page.meta.description or "", page.path)


def _own_folder(category: Category, above: str) -> str | None:
    """The folder of a category; a group has one below that of what it lies in, if its label makes a name."""
    if not category.path.rpartition("/")[2].startswith(_GROUP):
        return _folder_of(category)
    name = slugify(category.label)[:_LONGEST_NAME].strip("-_")
    folder = f"{above}/{name}".lstrip("/")
    return folder if name and not paths.is_taken(folder) else None


def _folder_of(category: Category) -> str:
    return paths.url(f"{category.path}/index", category.place).strip("/")
