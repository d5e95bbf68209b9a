"""Values for the templates: a site with everything, and pages of each kind."""

from __future__ import annotations

from markupsafe import Markup
from msgspec.structs import replace

import themes
from builder import theme
from builder.markdown.commonmark.toc import TocEntry
from builder.sidebar import Link
from builder.theme import (
    AnnouncementView,
    ChildView,
    ColumnView,
    FooterView,
    NavLinkView,
    PageView,
    SiteView,
    SocialView,
    ThemeView,
    templates,
)
from components.words import ENGLISH

FOLDER = themes.default()
FILES = theme.theme_files(theme.DEFAULT)
WHOLE = theme.style_sheet(theme.DEFAULT, "", ("announcement", "drafts", "sidebar", "nav", "footer"))
PAGES = "/_tp/pages.json"

THEME = ThemeView(
    css=f"/{WHOLE.path}",
    js=f"/{FILES.js.path}",
    boot=Markup(FILES.boot),
    moved=Markup(theme.moved_script(theme.DEFAULT)),
    moved_csp=theme.content_security_policy(FILES.boot, ()),
    csp=theme.content_security_policy(FILES.boot, ("www.youtube-nocookie.com",)),
    pages=PAGES,
    ondemand={name: f"/{asset.path}" for name, asset in FILES.ondemand.items()},
    search_css=f"/{FILES.search_css.path}",
    search_js=f"/{FILES.search_js.path}",
    search_index="/_tp/search.json",
)

SITE = SiteView(
    title="Example docs",
    description="All about the example.",
    url="https://docs.example.com",
    base="",
    home="/",
    language="en",
    direction="ltr",
    words=ENGLISH,
    script_words=theme.script_words(ENGLISH),
    logo="/logo.svg",
    logo_width=28,
    favicon="/favicon.svg",
    nav=(
        NavLinkView("Guide", "/docs/guide/", True),
        NavLinkView("More", "", False, (NavLinkView("Blog", "https://example.com/blog", False),)),
    ),
    announcement=AnnouncementView("Version 2 is out", "/docs/guide/", "1a2b3c"),
    css=("/brand.css",),
    social_image="https://docs.example.com/social.png",
    footer=FooterView(
        "Written with care.",
        (Link("About", "/about"),),
        (ColumnView("Product", (Link("Guide", "/docs/guide/"),)),),
        (SocialView("GitHub", "https://github.com/example", Markup('<path d="M0 0"/>'), True),),
    ),
    generator="Twinpress 1.2.3",
    buttons=(Link("Sign up", "https://app.example.com"),),
    has_menus=True,
)

BARE_SITE = replace(
    SITE,
    url="",
    logo="",
    logo_width=0,
    favicon="",
    nav=(),
    footer=FooterView("", ()),
    buttons=(),
    has_menus=False,
    announcement=None,
    css=(),
    social_image="",
)

SIDEBAR = """<ul class="tp-tree"><li><a href="/" aria-current="page">Start</a></li>
<li><a href="/docs/guide/">Guide</a><details open><summary aria-label="Guide: pages"></summary>
<ul class="tp-tree">
<li><a href="/docs/guide/install">Install</a> <span class="tp-draft">draft</span></li></ul>
</details></li></ul>"""

DOC = PageView(
    title="Install",
    head_title="Install | Example docs",
    description="How to install it.",
    canonical="https://docs.example.com/docs/guide/install",
    kind="doc",
    noindex=False,
    draft=False,
    show_title=True,
    h1="Install",
    body=Markup('<p>Text.</p><h2 id="one">One</h2><p>More.</p><h3 id="two">Two</h3><p>End.</p>'),
    children=(),
    breadcrumbs=(Link("Guide", "/docs/guide/"), Link("No page", "")),
    way=Markup('{"@type": "BreadcrumbList"}'),
    toc=(TocEntry(2, "one", "One"), TocEntry(3, "two", "Two")),
    sidebar=Markup(SIDEBAR),
    sidebar_partial=False,
    previous=Link("Before", "/docs/before"),
    next=Link("After", "/docs/after"),
    updated="2026-03-09",
    updated_day="March 9, 2026",
    edit="https://example.com/edit/docs/guide/install.mdx",
    twin="/docs/guide/install.md",
    reload="",
)

EMPTY = replace(
    DOC,
    title="Empty",
    h1="Empty",
    description="",
    canonical="",
    body=Markup(""),
    breadcrumbs=(),
    way=Markup(""),
    toc=(),
    sidebar=Markup(""),
    previous=None,
    next=None,
    edit="",
    updated="",
    updated_day="",
    twin="",
)

CHILDREN = (
    ChildView("Install", "/docs/guide/install", "How to install it."),
    ChildView("Write", "/docs/guide/write", ""),
)

KINDS = {
    "a documentation page": DOC,
    "a draft": replace(DOC, draft=True, noindex=True, reload="/_tp/reload.js"),
    "a page of a large site": replace(DOC, sidebar_partial=True),
    "a standalone page": replace(EMPTY, kind="page", body=DOC.body, toc=DOC.toc),
    "a category's index": replace(DOC, kind="index", body=Markup(""), toc=(), children=CHILDREN),
    "the not-found page": replace(EMPTY, kind="notfound", noindex=True, children=CHILDREN),
    "an empty page": EMPTY,
    "a page with its own title": replace(EMPTY, show_title=False, body=Markup("<h1>Own</h1>")),
}


def render(view: PageView, site: SiteView = SITE) -> str:
    """The whole document."""
    return templates.page(theme.DEFAULT, site, THEME, view)
