"""Make what every page is rendered with: links, the sidebar, the theme, and `site.yml` for templates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from markupsafe import Markup
from msgspec import Struct, field
from msgspec.structs import replace

from builder import search, sidebar, theme
from builder.config import NavLink, SiteConfig
from builder.config.analytics import PROVIDERS, Widened, widened
from builder.config.head import CANONICAL, is_property
from builder.config.links import PartLink
from builder.config.social import PLACES
from builder.diagnostics import Diagnostic
from builder.images import header
from builder.images.header import Size
from builder.links import urls
from builder.links.resolved import Kind, Resolved
from builder.links.suggestions import Effort
from builder.links.table import LinkTable, Target
from builder.markdown.context import Context, SiteParts
from builder.plan.layout import HOME, Layout
from builder.plan.options import Options
from builder.plan.redirects import Redirect
from builder.plan.site_files import (
    extra_scripts,
    extra_sheets,
    search_file,
    style_sheet,
    theme_script,
)
from builder.render import NavTarget, Shared
from builder.sidebar import Category, Link, Sidebar
from builder.site import CONFIG_FILE, Site
from builder.site.included import includes, variable_scopes
from builder.store.part_files import PartFiles
from builder.theme import (
    AnnouncementView,
    ColumnView,
    Folders,
    FooterView,
    ScriptView,
    SiteView,
    SocialView,
    ThemeView,
)
from builder.version import VERSION
from components.words import ENGLISH, NAMES, Words


class SiteFacts(Struct, frozen=True):
    """Facts looked up for all pages: days of changes, the theme, sizes of images, files to include, words."""

    updated: Mapping[str, str] = field(default_factory=dict)
    folders: Folders = theme.DEFAULT
    sizes: Mapping[str, Size] = field(default_factory=dict)
    parts: PartFiles | None = None
    words: Words | None = None


def make_shared(
    layout: Layout, found: list[Diagnostic], options: Options, facts: SiteFacts | None = None
) -> Shared:
    """Everything that pages share; broken links of `site.yml` are put into `found`."""
    facts = facts or SiteFacts()
    config, folders = layout.site.config, facts.folders
    links = link_table(layout, drafts=options.drafts)
    base = config.base_path
    words = facts.words or site_words(config, folders, found)
    own = SiteLinks(config, links, found, facts.sizes)
    counted = config.analytics if options.analytics and not options.drafts else {}
    context = _context(config, words, links)
    return Shared(
        site=replace(own.site(words), scripts=tuple(_scripts(counted, base, folders))),
        nav=tuple(own.nav()),
        edit_url=config.edit_url,
        feedback=config.feedback,
        page_menu=tuple(config.page_menu),
        original=config.head.get(CANONICAL, config.url),
        updated=facts.updated,
        reload=f"{base}{options.reload}" if options.reload else "",
        context=replace(context, sizes=facts.sizes, parts=_parts(layout.site, facts.parts)),
        theme=_theme_view(layout, base, folders, widened(counted), counts_searches=options.counts_searches),
        theme_folders=folders,
        root=layout.root,
        sidebar=Sidebar(
            layout.root, base, _count(layout) <= sidebar.WHOLE_TREE, words, dict(own.sidebar(layout.root))
        ),
        places=sidebar.places(layout.root),
        feeds=tuple(page.path for page in layout.feeds),
        shows_days=config.last_updated,
    )


def _context(config: SiteConfig, words: Words, links: LinkTable) -> Context:
    hosts = tuple(config.embed_hosts)
    premium, extras = config.plan == "premium", frozenset(config.extras)
    return Context(premium, hosts, links, links.base, links.origin, words, extras=extras)


def _parts(site: Site, files: PartFiles | None) -> SiteParts:
    scopes = variable_scopes(site.config, site.categories)
    return SiteParts(files if includes(site.config) else None, scopes)


def site_words(config: SiteConfig, folders: Folders, found: list[Diagnostic]) -> Words:
    """The words of the site's language, with its own in place of some."""
    words = theme.words(folders, config.language)
    if words is None and set(config.words) != set(NAMES):
        known = ", ".join(f"`{name}`" for name in theme.languages(folders))
        message = f"there are no words of the theme in `{config.language}`, so they are English"
        hint = f"write your own into `words`; there are words in {known}"
        found.append(Diagnostic(CONFIG_FILE, *config.place("language"), "language-unknown", message, hint))
    return replace(words or ENGLISH, **config.words)


def _places(redirect: Redirect) -> tuple[str, ...]:
    """The addresses at which a redirect answers."""
    return (redirect.output, redirect.path[1:]) if redirect.has_page else (redirect.path[1:],)


def link_table(layout: Layout, *, drafts: bool) -> LinkTable:
    """The table of everything that a link of this site may lead to."""
    config = layout.site.config
    pages = {page.path: Target(page.url, page.meta.draft, page.is_listed) for page in layout.site.pages}
    pages |= {page.path: Target(page.url, True, page.is_listed) for page in layout.site.drafts}
    pages |= {f"{category.path}/index": Target(category.url) for category, _ in layout.generated}
    if not any(target.url == "/" for target in pages.values()):
        pages[HOME] = Target("/")
    files = frozenset(file.output for file in layout.files)
    files |= {page.feed_url[1:] for page in layout.feeds}
    files |= {file.output for file in layout.index[1:]} | layout.full_parts
    files |= {place for each in layout.redirects for place in _places(each)}
    origin = config.url.removesuffix(config.base_path) if config.base_path else config.url
    return LinkTable(pages, files, config.base_path, origin, drafts, config.docs_at, config.served_elsewhere)


def _count(layout: Layout) -> int:
    return sum(1 for _ in sidebar.pages_in_order(layout.root))


def _scripts(analytics: Mapping[str, str], base: str, folders: Folders) -> Iterator[ScriptView]:
    """The scripts of these providers, each with its id."""
    for name, id in analytics.items():
        provider = PROVIDERS[name]
        src = provider.script or f"{base}/{theme.part_script(folders, name).path}"
        yield ScriptView(src, tuple((key, value.replace("{}", id)) for key, value in provider.attributes))


def _theme_view(
    layout: Layout, base: str, folders: Folders, more: Widened, *, counts_searches: bool
) -> ThemeView:
    files = theme.theme_files(folders)
    hosts = layout.site.config.embed_hosts
    policy = theme.content_security_policy(files.boot, hosts, more.scripts, more.connects)
    moved = theme.moved_script(folders) if layout.redirects else ""
    return ThemeView(
        css=f"{base}/{style_sheet(layout, folders).path}",
        js=f"{base}/{theme_script(layout, folders).path}",
        boot=Markup(files.boot),
        moved=Markup(moved),
        moved_csp=theme.with_script(policy, moved) if moved else policy,
        csp=policy,
        pages=f"{base}/{layout.pages_list.path}",
        ondemand={name: f"{base}/{asset.path}" for name, asset in files.ondemand.items()},
        search_css=f"{base}/{files.search_css.path}",
        search_js=f"{base}/{files.search_js.path}",
        search_index=f"{base}/{search_file(search.ENTRY)}",
        counts_searches=counts_searches,
        extras={name: f"{base}/{sheet.path}" for name, sheet in extra_sheets(layout, folders).items()},
        extra_scripts={name: f"{base}/{file.path}" for name, file in extra_scripts(layout, folders).items()},
    )


LOGO_HEIGHT = 28
"""Pixels, as in the theme's templates and styles."""


class SiteLinks(Struct, frozen=True):
    """The links of one `site.yml`; those that are broken are put into `found`."""

    config: SiteConfig
    links: LinkTable
    found: list[Diagnostic]
    sizes: Mapping[str, Size]
    effort: Effort = field(default_factory=Effort)

    def site(self, words: Words) -> SiteView:
        """The site, but for the links of its header, which depend on the page."""
        config = self.config
        self._check_accent()
        logo = self._resolved("logo", config.logo, "image").href
        return SiteView(
            title=config.title,
            description=config.description,
            url=config.url,
            base=config.base_path,
            home=f"{config.base_path}/",
            language=config.language,
            direction=config.text_direction,
            words=words,
            script_words=theme.script_words(words),
            logo=logo,
            logo_width=self._logo_width(logo),
            favicon=self._resolved("favicon", config.favicon, "image").href,
            nav=(),
            footer=self._footer(words),
            announcement=self._announcement(),
            css=tuple(self._resolved(f"css[{n}]", href).href for n, href in enumerate(config.css)),
            social_image=self._social_image(),
            generator=f"Twinpress {VERSION}",
            head=tuple(
                (is_property(name), name, text) for name, text in config.head.items() if name != CANONICAL
            ),
            buttons=self._links(item for item in config.nav if item.primary),
            has_menus=any(item.items for item in config.nav),
        )

    def _logo_width(self, href: str) -> int:
        """Its width in the header, so that nothing moves when it arrives; 0 when it is not known."""
        size = header.of_address(href, self.links.base, self.sizes)
        return max(1, round(LOGO_HEIGHT * size[0] / size[1])) if size else 0

    def nav(self) -> Iterator[NavTarget]:
        """The links of the header, but for buttons."""
        for item in self.config.nav:
            if item.items:
                yield NavTarget(item.label, "", "", links=tuple(map(self._target, item.items)))
            elif not item.primary:
                yield self._target(item)

    def _target(self, link: PartLink) -> NavTarget:
        href, config = self._resolved(f"{link.where}.href", link.href).href, self.config
        own = href.removeprefix(config.base_path) if href.startswith("/") else urls.below(href, config.url)
        return NavTarget(link.label, href, own or "", link.sidebar)

    def sidebar(self, root: Category) -> Iterator[tuple[str, str]]:
        """The addresses of the links in a sidebar that is written down, by their place."""
        for link in sidebar.written_links(root) if self.config.sidebar else ():
            place = self.config.sidebar_place(f"{link.where}.href")
            yield link.where, self._checked(link.url, "link", *place).href

    def _footer(self, words: Words) -> FooterView:
        footer = self.config.footer
        columns = (ColumnView(each.label, self._links(each.items)) for each in footer.columns)
        social = tuple(self._social(words)) if footer.social else ()
        return FooterView(footer.text, self._links(footer.links), tuple(columns), social)

    def _links(self, links: Iterable[NavLink]) -> tuple[Link, ...]:
        return tuple(Link(link.label, self._resolved(f"{link.where}.href", link.href).href) for link in links)

    def _social(self, words: Words) -> Iterator[SocialView]:
        icons = theme.social_icons()
        for name, given in self.config.footer.social.items():
            place = PLACES[name]
            href = self._resolved(f"footer.social.{name}", given).href
            yield SocialView(place.label or words.email, href, Markup(icons[name]), place.is_profile)

    def _announcement(self) -> AnnouncementView | None:
        given = self.config.announcement
        if not given.text:
            return None
        href = self._resolved("announcement.href", given.href).href
        mark = hashlib.blake2b(f"{given.text}\n{href}".encode(), digest_size=5).hexdigest()
        return AnnouncementView(given.text, href, mark if given.dismissible else "")

    def _social_image(self) -> str:
        """Its absolute address; nothing when the site's own is not known."""
        address = self._resolved("social_image", self.config.social_image, "image").absolute
        return address if urls.external(address) else ""

    def _resolved(self, field: str, href: str, kind: Kind = "link") -> Resolved:
        return self._checked(href, kind, CONFIG_FILE, *self.config.place(field)) if href else Resolved("", "")

    def _checked(self, href: str, kind: Kind, file: str, line: int, column: int) -> Resolved:
        """Resolve an address, and tell what is wrong with it at its place."""
        resolved = self.links.resolve(href, HOME, kind)
        if resolved.problem is not None:
            code, message, _ = resolved.problem
            hint = self.links.hint(resolved, self.effort)
            self.found.append(Diagnostic(file, line, column, code, message, hint))
        return resolved

    def _check_accent(self) -> None:
        """Say which shade light pages have in place of a colour that cannot be read on them.

        Dark pages have another shade of every colour that can, so about them there is nothing to say.
        """
        color = self.config.accent
        if color and (shade := theme.accent(color).light) != color:
            message = f"text in `{color}` is hard to read on light pages, so they get `{shade}`"
            self.found.append(
                Diagnostic(CONFIG_FILE, *self.config.place("accent"), "accent-contrast", message)
            )
