"""Views for templates: values that are ready to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from builder.markdown.commonmark.toc import TocEntry
from builder.sidebar import Link
from components.words import Words

Kind = Literal["doc", "page", "index", "notfound"]


class ChildView(Struct, frozen=True):
    """A page named on a generated index page."""

    label: str
    href: str
    description: str


class NavLinkView(Struct, frozen=True):
    """A link of the header, or a menu of `links`; `current` when the page lies below it."""

    label: str
    href: str
    current: bool
    links: Sequence[NavLinkView] = ()


class ColumnView(Struct, frozen=True):
    """A column of links in the footer."""

    label: str
    links: Sequence[Link]


class SocialView(Struct, frozen=True):
    """A link with an icon, whose drawing is `shapes`; `is_profile` says that it leads to the same people."""

    label: str
    href: str
    shapes: Markup
    is_profile: bool


class FooterView(Struct, frozen=True):
    """The site's last words."""

    text: str
    links: Sequence[Link]
    columns: Sequence[ColumnView] = ()
    social: Sequence[SocialView] = ()


class AnnouncementView(Struct, frozen=True):
    """The message above every page; `mark` tells one from another, empty when it cannot be dismissed."""

    text: str
    href: str
    mark: str


class ScriptView(Struct, frozen=True):
    """A script of somebody else's, with the attributes that it reads."""

    src: str
    attributes: Sequence[tuple[str, str]]


class MenuView(Struct, frozen=True):
    """The menu of a page: whether it has the button that copies it, and its links."""

    copy: bool
    links: Sequence[Link]


class SiteView(Struct, frozen=True):
    """The site as its templates see it; hrefs have the base path, `logo_width` is 0 when it is not known.

    `head` has whether a tag is a property, its name and its content. `has_menus` says that some of `nav` are
    menus; `buttons` are links at the end of the header.
    """

    title: str
    description: str
    url: str
    base: str
    home: str
    language: str
    direction: str
    words: Words
    script_words: str
    logo: str
    logo_width: int
    favicon: str
    nav: Sequence[NavLinkView]
    footer: FooterView
    announcement: AnnouncementView | None
    css: Sequence[str]
    social_image: str
    generator: str
    head: Sequence[tuple[bool, str, str]] = ()
    scripts: Sequence[ScriptView] = ()
    buttons: Sequence[Link] = ()
    has_menus: bool = False


class ThemeView(Struct, frozen=True):
    """Addresses of the theme's files, those of scripts loaded on demand by their names, and the policy.

    `extras` are those of the style sheets that only some pages need, `extra_scripts` those of scripts.
    With `counts_searches` the search tells the server of what was not found.
    """

    css: str
    js: str
    boot: Markup
    moved: Markup
    moved_csp: str
    csp: str
    pages: str
    ondemand: Mapping[str, str]
    search_css: str
    search_js: str
    search_index: str
    counts_searches: bool = False
    extras: Mapping[str, str] = {}
    extra_scripts: Mapping[str, str] = {}


class PageView(Struct, frozen=True):
    """One page; the words are explained where the page is made, in `builder/render`."""

    title: str
    head_title: str
    description: str
    canonical: str
    kind: Kind
    noindex: bool
    draft: bool
    show_title: bool
    h1: str
    body: Markup
    children: Sequence[ChildView]
    breadcrumbs: Sequence[Link]
    way: Markup
    toc: Sequence[TocEntry]
    sidebar: Markup
    sidebar_partial: bool
    previous: Link | None
    next: Link | None
    edit: str
    updated: str
    updated_day: str
    twin: str
    reload: str
    styles: Sequence[str] = ()
    feed: str = ""
    scripts: Sequence[str] = ()
    feedback: str = ""
    menu: MenuView | None = None
