"""Make what every page is rendered with, from the site, the theme and the options."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup
from msgspec.structs import replace

from builder import search, sidebar, theme
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.links.table import LinkTable, Target
from builder.markdown.context import Context
from builder.plan.layout import HOME, Layout
from builder.plan.site_files import pages_list, search_file, style_sheet
from builder.plan.site_view import Told
from builder.render import Shared
from builder.sidebar import Sidebar
from builder.site import CONFIG_FILE
from builder.theme import Folders, ThemeView
from components.words import ENGLISH, NAMES, Words


def make_shared(
    layout: Layout,
    found: list[Diagnostic],
    *,
    drafts: bool,
    reload: str,
    updated: Mapping[str, str] | None = None,
    folders: Folders = theme.DEFAULT,
    sizes: Mapping[str, tuple[int, int]] | None = None,
) -> Shared:
    """Everything that pages share; broken links of `site.yml` are put into `found`."""
    config = layout.site.config
    links = link_table(layout, drafts=drafts)
    base = config.base_path
    words = _words(config, folders, found)
    told = Told(config, links, found, sizes or {})
    return Shared(
        site=told.site(words),
        nav=tuple(told.nav()),
        edit_url=config.edit_url,
        updated=updated or {},
        reload=f"{base}{reload}" if reload else "",
        context=replace(_context(config, words, links), sizes=sizes or {}),
        theme=_theme_view(layout, base, folders),
        theme_folders=folders,
        root=layout.root,
        sidebar=Sidebar(layout.root, base, _count(layout) <= sidebar.WHOLE_TREE, words),
        places=sidebar.places(layout.root),
    )


def _context(config: SiteConfig, words: Words, links: LinkTable) -> Context:
    hosts = tuple(config.embed_hosts)
    return Context(config.plan == "premium", hosts, links, links.base, links.origin, words)


def _words(config: SiteConfig, folders: Folders, found: list[Diagnostic]) -> Words:
    """The words of the site's language, with its own in place of some."""
    words = theme.words(folders, config.language)
    if words is None and set(config.words) != set(NAMES):
        known = ", ".join(f"`{name}`" for name in theme.languages(folders))
        message = f"there are no words of the theme in `{config.language}`, so they are English"
        hint = f"write your own into `words`; there are words in {known}"
        found.append(Diagnostic(CONFIG_FILE, *config.place("language"), "language-unknown", message, hint))
    return replace(words or ENGLISH, **config.words)


def link_table(layout: Layout, *, drafts: bool) -> LinkTable:
    """The table of everything that a link of this site may lead to."""
    config = layout.site.config
    pages = {page.path: Target(page.url, page.meta.draft) for page in layout.site.pages}
    pages |= {page.path: Target(page.url, True) for page in layout.site.drafts}
    pages |= {f"{category.path}/index": Target(category.url) for category, _ in layout.generated}
    pages.setdefault(HOME, Target("/"))
    sources = (*layout.site.pages, *layout.site.drafts)
    files = frozenset(file.output for file in layout.files)
    files |= {place for each in layout.redirects for place in (each.output, each.path[1:])}
    origin = config.url.removesuffix(config.base_path) if config.base_path else config.url
    return LinkTable(
        pages, files, config.base_path, origin, {page.file: page.path for page in sources}, drafts
    )


def _count(layout: Layout) -> int:
    return sum(1 for _ in sidebar.pages_in_order(layout.root))


def _theme_view(layout: Layout, base: str, folders: Folders) -> ThemeView:
    files = theme.theme_files(folders)
    policy = theme.content_security_policy(files.boot, layout.site.config.embed_hosts)
    return ThemeView(
        css=f"{base}/{style_sheet(layout, folders).path}",
        js=f"{base}/{files.js.path}",
        boot=Markup(files.boot),
        csp=policy,
        pages=f"{base}/{pages_list(layout).path}",
        ondemand={name: f"{base}/{asset.path}" for name, asset in files.ondemand.items()},
        search_css=f"{base}/{files.search_css.path}",
        search_js=f"{base}/{files.search_js.path}",
        search_index=f"{base}/{search_file(search.ENTRY)}",
    )
