"""What every page of a build is rendered with: made once, picklable, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from builder.markdown.context import Context
from builder.sidebar import Category, Link, Place, Sidebar
from builder.site import SitePage
from builder.theme import Folders, NavLink, SiteView, ThemeView


class NavTarget(Struct, frozen=True):
    """A header link; `prefix` is the address below which a page counts as being there."""

    label: str
    href: str
    prefix: str


class Shared(Struct, frozen=True):
    """`site` is the site as templates see it, but for `nav`, which depends on the page.

    `updated` gives the day on which a source was last changed, where that is known.
    """

    site: SiteView
    nav: tuple[NavTarget, ...]
    edit_url: str
    updated: Mapping[str, str]
    reload: str
    context: Context
    theme: ThemeView
    theme_folders: Folders
    root: Category
    sidebar: Sidebar
    places: Mapping[str, Place]

    @property
    def url(self) -> str:
        """The site's address without a trailing slash, or empty."""
        return self.site.url

    @property
    def base(self) -> str:
        """The base path: empty, or with a leading slash."""
        return self.site.base

    def site_view(self, url: str) -> SiteView:
        """The site as the templates see it from the page at `url`."""
        near = max((link.prefix for link in self.nav if _within(url, link.prefix)), key=len, default=None)
        nav = tuple(NavLink(link.label, link.href, link.prefix == near) for link in self.nav)
        return replace(self.site, nav=nav)

    def canonical(self, url: str) -> str:
        """The absolute address of a page of the site, or empty when the site's own is not known."""
        return self.url + url if self.url else ""

    def link(self, page: SitePage | None) -> Link | None:
        """A link to a page with its sidebar label."""
        return Link(page.label, self.base + page.url) if page else None

    def edit(self, file: str) -> str:
        """Where the source file can be edited, or empty."""
        return self.edit_url.replace("{path}", quote(file))


def _within(url: str, prefix: str) -> bool:
    return bool(prefix) and (
        url == prefix or (prefix.endswith("/") and prefix != "/" and url.startswith(prefix))
    )
