"""The pages of a site that no author wrote: lists of categories, not found, a home page where there is none.

Loaded only where something is made anew, as it renders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from markupsafe import Markup
from msgspec.structs import replace

from builder import paths, search
from builder.markdown.page import Body
from builder.paths import NOT_FOUND
from builder.plan.layout import HOME, Layout, standalone_pages
from builder.render import PageContent, RenderedPage, Shared
from builder.render.json_ld import structured
from builder.render.view import breadcrumbs, listing_view
from builder.search import Part
from builder.sidebar import Category, Extra, Item
from builder.site import SitePage
from builder.theme import ChildView, PageView
from components.twin import plain


def generated_pages(layout: Layout, shared: Shared) -> dict[str, Callable[[], RenderedPage]]:
    """Return the functions that make the generated pages, by content path."""
    found: dict[str, Callable[[], RenderedPage]] = {
        f"{category.path}/index": partial(category_page, category, chain, shared)
        for category, chain in layout.generated
    }
    if not layout.has(NOT_FOUND):
        found[NOT_FOUND] = partial(not_found_page, shared)
    if layout.home is None and not any(page.url == "/" for page in layout.site.pages):
        found[HOME] = partial(plain_home_page, standalone_pages(layout.site.pages), shared)
    return found


LONGEST_SUMMARY = 150
"""Characters of a description that search engines show."""


def category_page(category: Category, chain: tuple[Category, ...], shared: Shared) -> RenderedPage:
    """The index page of a category that has none of its own; `chain` ends with the category."""
    path = f"{category.path}/index"
    children = children_of(category, shared.base)
    view = replace(
        listing_view(shared, category.label, children, "index"),
        description=_summary(category.label, children),
        canonical=shared.canonical(category.url),
        breadcrumbs=breadcrumbs(chain[:-1], shared.base),
        way=structured(category.label, chain[:-1], shared),
        sidebar=Markup(shared.sidebar.html(path, chain)),
        twin=shared.base + paths.twin_url(path, category.place),
    )
    names = (child.label for child in children)
    part = search.listed(category.url, category.label, names, _twin(view, shared))
    html = shared.page(category.url, view, chain[0].name if chain else "")
    return replace(_rendered(path, view, html, shared, part), place=category.place)


def not_found_page(shared: Shared) -> RenderedPage:
    """The page for addresses that lead nowhere, with links to the top of the documentation."""
    children = children_of(shared.root, shared.base)
    view = listing_view(shared, shared.site.words.not_found, children, "notfound")
    return _rendered("pages/404", view, shared.page("/404", view), shared)


def plain_home_page(pages: Iterable[SitePage], shared: Shared) -> RenderedPage:
    """The home page of a site that has no documentation yet: a list of its standalone pages."""
    children = tuple(
        ChildView(page.label, shared.base + page.url, page.meta.description or "") for page in pages
    )
    view = replace(
        listing_view(shared, shared.site.title, children, "index"),
        head_title=shared.site.title,
        description=shared.site.description,
        canonical=shared.canonical("/"),
        twin=shared.base + paths.twin_url("pages/index"),
    )
    return _rendered("pages/index", view, shared.page("/", view), shared)


def children_of(category: Category, base: str) -> tuple[ChildView, ...]:
    """The direct children of a category as a page lists them."""
    return tuple(
        _child(child, base) for child in category.children if child.url and not isinstance(child, Extra)
    )


def _summary(label: str, children: Sequence[ChildView]) -> str:
    """Describe a list for search engines: its subject, and as many of its entries as have room."""
    summary = f"{label}: "
    for number, child in enumerate(children):
        more = f"{', ' if number else ''}{child.label}"
        if len(summary) + len(more) > LONGEST_SUMMARY:
            return f"{summary} …" if number else label
        summary += more
    return summary


def _child(entry: Category | Item, base: str) -> ChildView:
    page = entry.page if isinstance(entry, Item) else entry.index
    description = page.meta.description if page else ""
    return ChildView(entry.label, base + entry.url, description or "")


def _rendered(
    path: str, view: PageView, html: bytes, shared: Shared, part: Part | None = None
) -> RenderedPage:
    content = PageContent(Body("", ""), _twin(view, shared), search=part)
    return RenderedPage(path, path, "", content, html, pointer=shared.pointer)


def _twin(view: PageView, shared: Shared) -> str:
    origin = shared.url.removesuffix(shared.base) if shared.base else shared.url
    lines = [f"- [{plain(child.label)}]({origin}{child.href}){_tail(child)}" for child in view.children]
    return "\n\n".join(part for part in (f"# {plain(view.h1)}", "\n".join(lines)) if part) + "\n"


def _tail(child: ChildView) -> str:
    return f": {plain(child.description)}" if child.description else ""
