"""The values that every page of a build is rendered with: made once, picklable, never changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from builder.markdown.context import Context
from builder.sidebar import Category, Link, PagePosition, Sidebar
from builder.site import SitePage
from builder.theme import Folders, NavLinkView, PageView, SiteView, ThemeView
from builder.unicode import encoded
from components.twin import plain
from components.words import PLACE


class NavTarget(Struct, frozen=True):
    """A header link; `prefix` is the address below which a page counts as being there.

    `sidebar` names the part of the site that it is the entry of. A menu has `links` in place of an address.
    """

    label: str
    href: str
    prefix: str
    sidebar: str = ""
    links: tuple[NavTarget, ...] = ()


class Templates(Protocol):
    """Puts views into templates. Raises ThemeError when one of the site's own fails."""

    def page(self, folders: Folders, site: SiteView, theme: ThemeView, view: PageView) -> str:
        """The whole HTML document of a page."""

    def redirect(
        self, folders: Folders, site: SiteView, theme: ThemeView, target: str, canonical: str
    ) -> str:
        """The document that leads from an old address to `target`."""


class Shared(Struct, frozen=True, dict=True):
    """`site` is the site as templates see it, but for `nav`, which depends on the page.

    `templates` puts views into templates where that is not done at once, in the same process.

    `feeds` are the content paths of pages with a feed.
    `original` is the address that canonical links begin with, empty when it is not known.
    `updated` gives the day on which a source was last changed, where that is known; `shows_days` says that
    pages show theirs.
    """

    site: SiteView
    nav: tuple[NavTarget, ...]
    edit_url: str
    feedback: str
    page_menu: tuple[str, ...]
    original: str
    updated: Mapping[str, str]
    reload: str
    context: Context
    theme: ThemeView
    theme_folders: Folders
    root: Category
    sidebar: Sidebar
    places: Mapping[str, PagePosition]
    templates: Templates | None = None
    feeds: tuple[str, ...] = ()
    shows_days: bool = True

    @property
    def url(self) -> str:
        """The site's address without a trailing slash, or empty."""
        return self.site.url

    @property
    def base(self) -> str:
        """The base path: empty, or with a leading slash."""
        return self.site.base

    @cached_property
    def pointer(self) -> str:
        """The line that twins begin with where they are published: where the list of all pages is."""
        before, _, after = plain(self.site.words.for_agents).partition(PLACE)
        return f"> {before}[llms.txt]({self.url or self.base}/llms.txt){after}\n\n"

    def site_view(self, url: str, part: str = "") -> SiteView:
        """The site as the templates see it from the page at `url`, which is in this part of the site."""
        is_current = self._current(url, part)
        return replace(self.site, nav=tuple(_nav_view(item, is_current) for item in self.nav))

    def _current(self, url: str, part: str) -> Callable[[NavTarget], bool]:
        """Say which links are marked: the nearest above `url` of those that name the part, or else of all."""
        every = [link for item in self.nav for link in item.links or (item,)]
        inside = [link for link in every if part and link.sidebar == part]
        prefixes = (link.prefix for link in inside or every if _within(url, link.prefix))
        near = max(prefixes, key=len, default=None)
        if near is None:
            first = inside[0] if inside else None
            return lambda link: link is first
        return lambda link: link.prefix == near and (not inside or link.sidebar == part)

    def page(self, url: str, view: PageView, part: str = "") -> bytes:
        """The document of the page at `url`. Raises ThemeError when a template of the site's own fails.

        `part` is the part of the site that the page is in, see `part_of`.
        """
        text = self._templates().page(self.theme_folders, self.site_view(url, part), self.theme, view)
        return encoded(text)

    def redirect(self, url: str, target: str, canonical: str) -> bytes:
        """The document at the old address `url`, which leads to `target`. Raises as `page` does."""
        site = self.site_view(url)
        return encoded(self._templates().redirect(self.theme_folders, site, self.theme, target, canonical))

    def without_templates(self) -> Shared:
        """The same with the default theme's templates."""
        return replace(self, theme_folders=self.theme_folders.without_templates(), templates=None)

    def prepare(self) -> None:
        """Load what puts views into templates here. Raises ThemeError when a template is wrong."""
        if self.templates is None:
            from builder.theme import templates as frame  # noqa: PLC0415 - as below

            frame.load(self.theme_folders)

    def _templates(self) -> Templates:
        if self.templates is not None:
            return self.templates
        from builder.theme import templates as frame  # noqa: PLC0415 - not loaded for what is as it was

        return frame

    def canonical(self, url: str) -> str:
        """The address at which a page's original is, or empty when that is not known."""
        return self.original + url if self.original else ""

    def link(self, page: SitePage | None) -> Link | None:
        """A link to a page with its sidebar label."""
        return Link(page.label, self.base + page.url) if page else None

    def part_of(self, path: str) -> str:
        """The name of the sidebar that the page at a content path has for itself, or an empty text."""
        place = self.places.get(path)
        return place.chain[0].name if place and place.chain else ""

    def edit(self, file: str) -> str:
        """Return the address at which the source file can be edited, or an empty string."""
        return self.edit_url.replace("{path}", quote(file))


def _nav_view(target: NavTarget, is_current: Callable[[NavTarget], bool]) -> NavLinkView:
    links = tuple(NavLinkView(link.label, link.href, is_current(link)) for link in target.links)
    is_marked = any(link.current for link in links) if links else is_current(target)
    return NavLinkView(target.label, target.href, is_marked, links)


def _within(url: str, prefix: str) -> bool:
    return bool(prefix) and (
        url == prefix or (prefix.endswith("/") and prefix != "/" and url.startswith(prefix))
    )
