"""Make the view of a page: all that its template prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from markupsafe import Markup

from builder import paths
from builder.markdown.page import Body
from builder.render.json_ld import structured
from builder.render.shared import Shared
from builder.sidebar import Category, Link
from builder.site import SitePage
from builder.theme import ChildView, Kind, MenuView, PageView
from components.words import fitted, written_day

_ASSISTANTS = {
    "claude": ("Claude", "https://claude.ai/new?q="),
    "chatgpt": ("ChatGPT", "https://chatgpt.com/?hints=search&q="),
}
"""Each with its name and the address that opens it with a text."""


def page_view(page: SitePage, body: Body, shared: Shared) -> PageView:
    """The view of an author's page."""
    kind = _kind(page)
    place = shared.places.get(page.path)
    chain = place.chain if place else ()
    own = chain[-1].index if chain else None
    above = chain[:-1] if own is not None and own.path == page.path else chain
    is_home = page.path == "pages/index"
    day = page.meta.last_updated or shared.updated.get(page.file, "")
    updated = day if shared.shows_days else ""
    return PageView(
        title=page.title,
        head_title=shared.site.title if is_home else head_title(page.title, shared.site.title),
        description=page.meta.description or (shared.site.description if is_home else ""),
        canonical="" if kind == "notfound" else shared.canonical(page.url),
        kind=kind,
        noindex=page.meta.draft or not page.is_listed,
        draft=page.meta.draft,
        show_title=not page.meta.hide_title and body.heading is None,
        h1=page.title,
        body=Markup(body.html),
        children=(),
        breadcrumbs=breadcrumbs(above, shared.base),
        way=structured(page.title, above, shared) if kind == "doc" else Markup(""),
        toc=() if page.meta.hide_toc else tuple(entry for entry in body.toc if 2 <= entry.level <= 3),
        sidebar=Markup(shared.sidebar.html(page.path, chain)) if page.is_doc else Markup(""),
        sidebar_partial=not shared.sidebar.whole,
        previous=shared.link(place.previous) if place else None,
        next=shared.link(place.next) if place else None,
        edit=shared.edit(page.file),
        updated=updated,
        updated_day=written_day(shared.site.words, updated) if updated else "",
        twin=shared.base + page.twin_url,
        reload=shared.reload,
        styles=_needed(shared.theme.extras, body),
        feed=shared.base + page.feed_url if page.path in shared.feeds else "",
        scripts=_needed(shared.theme.extra_scripts, body),
        feedback=_feedback(page, shared),
        menu=_page_menu(page, shared),
    )


_NEEDS = {
    "badge": '<span class="tp-badge ',
    "columns": '<div class="tp-columns ',
    "definition-lists": "<dl>",
    "diagrams": '<figure class="tp-diagram">',
    "file-tree": '<div class="tp-file-tree">',
    "frame": '<figure class="tp-frame"',
    "math": "<math ",
    "tooltip": '<span class="tp-tooltip">',
    "update": '<div class="tp-update">',
}
"""What a page has that needs the files of an extra."""


def _needed(files: Mapping[str, str], body: Body) -> tuple[str, ...]:
    """The addresses of the files of those extras that the page uses."""
    return tuple(href for name, href in files.items() if _NEEDS[name] in body.html)


def _kind(page: SitePage) -> Kind:
    if page.path == paths.NOT_FOUND:
        return "notfound"
    return "doc" if page.is_doc else "page"


def listing_view(shared: Shared, title: str, children: Sequence[ChildView], kind: Kind) -> PageView:
    """The view of a page that is nothing but a list of others."""
    return PageView(
        title=title,
        head_title=head_title(title, shared.site.title),
        description="",
        canonical="",
        kind=kind,
        noindex=kind == "notfound",
        draft=False,
        show_title=True,
        h1=title,
        body=Markup(""),
        children=children,
        breadcrumbs=(),
        way=Markup(""),
        toc=(),
        sidebar=Markup(""),
        sidebar_partial=not shared.sidebar.whole,
        previous=None,
        next=None,
        edit="",
        updated="",
        updated_day="",
        twin="",
        reload=shared.reload,
    )


def head_title(title: str, site: str) -> str:
    """Return the title for a browser's tab and search engines: the page's title, then the site's."""
    return f"{title} | {site}" if site and site != title else title


def breadcrumbs(chain: Sequence[Category], base: str) -> tuple[Link, ...]:
    """Links to the categories above a page, outermost first."""
    return tuple(Link(category.label, base + url if (url := category.url) else "") for category in chain)


def _page_menu(page: SitePage, shared: Shared) -> MenuView | None:
    """The menu of a page, or None where the site has none."""
    if not shared.page_menu:
        return None
    return MenuView("copy" in shared.page_menu, tuple(_menu_links(page, shared)))


def _menu_links(page: SitePage, shared: Shared) -> Iterator[Link]:
    words, twin = shared.site.words, page.twin_url
    for name in shared.page_menu:
        if name == "markdown":
            yield Link(words.markdown, shared.base + twin)
        elif name in _ASSISTANTS and shared.url and not page.meta.draft:
            label, address = _ASSISTANTS[name]
            asked = fitted(words.ask, shared.url + twin)
            yield Link(fitted(words.open_in, label), address + quote(asked, safe=""))


def _feedback(page: SitePage, shared: Shared) -> str:
    """The address at which readers say what they think of a page, or an empty text."""
    if not shared.feedback:
        return ""
    values = {"path": page.file, "title": page.title, "url": shared.url + page.url if shared.url else ""}
    made = shared.feedback
    for name, value in values.items():
        made = made.replace(f"{{{name}}}", quote(value, safe=""))
    return made
