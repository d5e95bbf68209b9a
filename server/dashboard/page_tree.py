"""The pages of a site as its sidebar has them, with what an owner wants to know of each.

A layer below `tree_pages`: it knows no request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from builder import sidebar
from builder.plan.layout import lay_out
from builder.site import Site, SitePage
from server.dashboard.revision_views import LOOKED_AT, Names, RevisionView, brought_in, view
from server.findings.site_findings import LevelNumbers
from server.history import History

_NOTHING = LevelNumbers()


class Leaf(Struct, frozen=True):
    """One page. `writer` is its last change, None for one that was not changed lately.

    `left_out` says that the sidebar's file does not name it.
    """

    path: str
    title: str
    format: str
    draft: bool
    wrong: LevelNumbers
    writer: RevisionView | None
    left_out: bool = False


class Branch(Struct, frozen=True):
    """A folder with its pages and folders in the order of the sidebar; `index` is its own page."""

    path: str
    label: str
    index: Leaf | None
    children: tuple[Branch | Leaf, ...]
    pages: int
    collapsed: bool


class PageTree(Struct, frozen=True):
    """All pages: those in `docs` by their folders below `root`, the others in `standalone`.

    `order` is the file that has the order of the sidebar, "" where the folders have it.
    """

    root: Branch
    standalone: tuple[Leaf, ...]
    order: str = ""


class _Known(Struct, frozen=True):
    """Knowledge beside the pages: numbers of findings by file, last changes by page."""

    wrong: Mapping[str, LevelNumbers]
    writers: Mapping[str, RevisionView]
    left_out: frozenset[str] = frozenset()

    def leaf(self, page: SitePage) -> Leaf:
        """Return a page with all that is known about it."""
        wrong = self.wrong.get(page.file, _NOTHING)
        if page.twin_file in self.wrong:
            wrong = wrong.plus(self.wrong[page.twin_file])
        return Leaf(
            page.path,
            page.label,
            page.format,
            page.meta.draft,
            wrong,
            self.writers.get(page.path),
            page.path in self.left_out,
        )


def find_branch(root: Branch, path: str) -> Branch | None:
    """The folder of this path in a tree."""
    if root.path == path:
        return root
    inner = (child for child in root.children if isinstance(child, Branch))
    way = next((child for child in inner if f"{path}/".startswith(f"{child.path}/")), None)
    return find_branch(way, path) if way else None


def leaves(branch: Branch) -> Iterator[Leaf]:
    """All pages of a folder and of those in it, in their order."""
    if branch.index:
        yield branch.index
    for child in branch.children:
        if isinstance(child, Branch):
            yield from leaves(child)
        else:
            yield child


def page_tree(site: Site, wrong: Mapping[str, LevelNumbers], history: History, names: Names) -> PageTree:
    """The tree of a site, drafts included; `wrong` are the numbers of findings by file."""
    pages = (*site.pages, *site.drafts)
    settings = site.config
    order = settings.sidebar_place("sidebar")[0] if settings.sidebar or settings.sidebar_file else ""
    left_out = (page.path for page in lay_out(site).site.pages if page.left_out) if order else ()
    known = _Known(wrong, last_writers(history, names), frozenset(left_out))
    root = _branch(sidebar.build(pages, site.folders), known)
    alone = sorted((page for page in pages if not page.is_doc), key=lambda page: page.path)
    return PageTree(root, tuple(map(known.leaf, alone)), order)


def last_writers(history: History, names: Names) -> Mapping[str, RevisionView]:
    """The last change of each page, as far as it is among the last changes that are known of the site."""
    brought_in(history)
    found: dict[str, RevisionView] = {}
    for revision in history.revisions(most=LOOKED_AT):
        seen = view(revision, names)
        for page in seen.pages:
            found.setdefault(page, seen)
    return found


def _branch(category: sidebar.Category, known: _Known) -> Branch:
    children: Sequence[Branch | Leaf] = [
        _branch(child, known) if isinstance(child, sidebar.Category) else known.leaf(child.page)
        for child in category.children
        if not isinstance(child, sidebar.Extra)
    ]
    index = known.leaf(category.index) if category.index else None
    pages = sum(child.pages if isinstance(child, Branch) else 1 for child in children)
    return Branch(
        category.path,
        category.label,
        index,
        tuple(children),
        pages + (index is not None),
        bool(category.collapsed),
    )
