"""The fields of `site.yml`. The page `docs/reference/configuration` of the sample site is made from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from builder.config import checks
from builder.config.analytics import PROVIDERS
from builder.config.head import NAMES as HEAD
from builder.config.links import Footer, NavItem, PartLink, SidebarEntry
from builder.schema.option import option
from components.embed_hosts import DEFAULT_HOSTS
from components.words import ENGLISH, MEANINGS

CONFIG_FILE, SIDEBAR_FILE = "site.yml", "sidebar.yml"

Extra = Literal[
    "includes", "components", "slug", "badge", "frame", "file-tree", "tooltip", "columns", "update",
    "definition-lists", "keys", "math", "diagrams",
]  # fmt: skip
"""What a site can switch on beyond the language of every site."""

_RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"})


@dataclass(frozen=True, slots=True)
class Announcement:
    """A message above every page for a while."""

    text: str = option("One line of text.", "", example="Version 2 is out", check=checks.line)
    href: str = option(
        "Where the line leads: a path in the site, or another address.",
        "",
        example="/docs/guide/",
        check=checks.image,
    )
    dismissible: bool = option(
        "Whether readers can put it away. It comes back when its text or link is another one.", True
    )


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """Everything that `site.yml` says. `places` gives line and column of a field, such as `nav[0].href`."""

    title: str = option(
        "The site's name: in the header, in the title of every page and in `llms.txt`.",
        "Documentation",
        example="Example docs",
        check=checks.words,
    )
    url: str = option(
        "The address at which the site will be published. It may have a path, as for a project on GitHub "
        "Pages: every link then works below it. Without it there is no sitemap.",
        "",
        example="https://docs.example.com",
        check=checks.site_url,
    )
    description: str = option(
        "One line about the site, for search engines and `llms.txt`.",
        "",
        example="How to use Example.",
        check=checks.line,
    )
    language: str = option(
        "The language of the pages, as a language tag. It decides the theme's own words on pages, "
        'such as "On this page". There are words in `ar`, `de`, `en`, `es`, `fr`, `he`, `it`, `ja`, `ko`, '
        "`nl`, `pl`, `pt`, `ru`, `tr`, `uk`, `zh` and `zh-Hant`. In any other they are English, until you "
        "write your own into `words`.",
        "en",
        example="pt-BR",
        check=checks.language,
    )
    words: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Your own choice for single words of the theme; all others are those of `language`. "
        "The defaults below are the English ones. Keep `{}`: a name or number replaces it.",
        {},
        example="{next: Onwards, copied: Copied!}",
        check=checks.words,
        keys={name: (getattr(ENGLISH, name), meaning) for name, meaning in MEANINGS.items()},
    )
    direction: Literal["auto", "ltr", "rtl"] = option(
        "The direction of the text: left to right, right to left, or that of the `language`.",
        "auto",
        example="rtl",
    )
    logo: str = option(
        "An image for the header, beside the title: a path in the site, or an address with `https`.",
        "",
        example="/logo.svg",
        check=checks.image,
    )
    favicon: str = option(
        "The icon for the browser's tab: a path in the site.", "", example="/favicon.svg", check=checks.image
    )
    accent: str = option(
        "The colour of links and selected items, as `#rrggbb`. Where text in it would be hard to read, on "
        "light or dark pages, a darker or lighter shade is used.",
        "",
        example='"#0f766e"',
        check=checks.color,
    )
    css: tuple[str, ...] = option(
        "Style sheets of your own: paths in the site. Their rules win over those of the theme.",
        (),
        example="[/brand.css]",
        check=checks.own_file,
    )
    social_image: str = option(
        "The image that other sites show beside a link to a page: a path in the site, which needs `url`, or "
        "an address with `https`. 1200 by 630 pixels suit all of them.",
        "",
        example="/social.png",
        check=checks.image,
    )
    announcement: Announcement = option("A line above every page.", Announcement())  # noqa: RUF009 - it is frozen
    nav: tuple[NavItem, ...] = option(
        "The entries of the header, in this order.",
        (),
        example="[{label: Guide, href: /docs/guide/}, {label: More, items: [{label: API, "
        "href: /docs/api/}]}, {label: Sign up, href: 'https://app.example.com', primary: true}]",
    )
    footer: Footer = option("The text and links below every page.", Footer())  # noqa: RUF009 - it is frozen
    plan: Literal["free", "premium"] = option(
        "Whether premium components are shown, or a notice in their place.",
        "free",
        example="premium",
    )
    embed_hosts: tuple[str, ...] = option(
        "The hosts from which `Embed` may show pages, each by its name. The list replaces the default one.",
        DEFAULT_HOSTS,
        example="[www.youtube.com, player.vimeo.com]",
        check=checks.host,
    )
    extras: tuple[Extra, ...] = option(
        "What pages in `mdx` may use beyond the language of every site, each by its name.",
        (),
        example="[includes, math]",
    )
    variables: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Texts that `%{name}` stands for on pages in `mdx`. A folder's category file and a page's "
        "frontmatter may have more; the nearest counts.",
        {},
        example='{version: "2.4"}',
        check=checks.line,
    )
    redirects: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Old paths and where each leads now: a path in the site, or another address.",
        {},
        example="{/old/page: /docs/new-page}",
    )
    sidebar: tuple[SidebarEntry, ...] = option(
        "What the sidebar shows, in this order, in place of the folders; or `sidebar.yml`, the file beside "
        "`site.yml` that has the list. Pages that it does not name are unlisted.",
        (),
        example="[docs/index, {label: Guide, items: [docs/guide/install]}]",
    )
    redirect_files: tuple[Literal["nginx", "caddy"], ...] = option(
        "Servers of your own for which a build writes the redirects: `_redirects.nginx`, which the block "
        "`server` includes, and `_redirects.caddy`, which the site's block imports.",
        (),
        example="[nginx]",
    )
    docs_at: str = option(
        "The address of the documentation: `/` puts `docs/guide/install` at `/guide/install`. Files stay "
        "where they are, and links may name a page by its file, its path or its address.",
        "/docs",
        example="/",
        check=checks.docs_at,
    )
    trailing_slash: bool = option(
        "Addresses of pages end with a slash: `docs/guide/install` is at `/docs/guide/install/`, in a file "
        "`index.html` of a folder of its own. Sites that had such addresses keep them on each host.",
        False,
        example="true",
    )
    served_elsewhere: tuple[str, ...] = option(
        "Paths of the site's own host that something else serves, with all below them: links to them are not "
        "looked for among the pages of the site, and lead there without the path of `url`.",
        (),
        example="[/enterprise]",
        check=checks.path_elsewhere,
    )
    edit_url: str = option(
        "The address at which a page can be edited. `{path}` stands for the page's file, such as "
        "`docs/guide/install.mdx`; with it every page gets a link for editing.",
        "",
        example="https://github.com/example/docs/edit/main/{path}",
        check=checks.edit_url,
    )
    feedback: str = option(
        "The address at which readers say what they think of a page; every page gets a link to it. `{path}` "
        "stands for the page's file, `{title}` for its title, `{url}` for its address.",
        "",
        example='"https://github.com/example/docs/issues/new?title={title}&body={url}"',
        check=checks.feedback,
    )
    page_menu: tuple[Literal["copy", "markdown", "claude", "chatgpt"], ...] = option(
        "The menu at the top of a page, in this order: `copy` is the button that copies the page, `markdown` "
        "leads to its twin, `claude` and `chatgpt` open the assistant with the page's address, which needs "
        "`url`. Without a list there is the button alone.",
        (),
        example="[copy, markdown, claude, chatgpt]",
    )
    head: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Entries for the head of every page, for search engines and previews.",
        {},
        example="{google-site-verification: Vx3kQp8}",
        check=checks.line,
        keys={name: ("", meaning) for name, meaning in HEAD.items()},
    )
    analytics: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Counts readers with one of these providers: its name, and the site's id there. Its script is on "
        "published pages, not in previews, and the policy of pages lets in its hosts and no others.",
        {},
        example="{plausible: docs.example.com}",
        check=checks.line,
        keys={name: ("", one.meaning) for name, one in PROVIDERS.items()},
    )
    last_updated: bool = option(
        "Whether a page shows when it was last changed: the day of the last commit of its file, where the "
        "site is in a full clone of a git repository.",
        True,
        example="false",
    )
    search_excerpts: Literal["twins", "files"] = option(
        "What the search cuts excerpts from: the twins of pages (`twins`), or files of its own, one for each "
        "page (`files`), for hosts that do not serve files that end in `.md`.",
        "twins",
        example="files",
    )
    sidebar_file: str = ""
    redirect_lines: dict[str, int] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    places: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    @property
    def text_direction(self) -> str:
        """`ltr` or `rtl`."""
        if self.direction != "auto":
            return self.direction
        return "rtl" if self.language.lower().partition("-")[0] in _RIGHT_TO_LEFT else "ltr"

    @property
    def base_path(self) -> str:
        """The path of `url`: an empty string, or `/repo` without a slash at its end."""
        return urlsplit(self.url).path

    @property
    def origin(self) -> str:
        """`url` without its path: `https://o.github.io`, or an empty string."""
        return self.url.removesuffix(self.base_path) if self.base_path else self.url

    def nav_links(self) -> Iterator[PartLink]:
        """Yield the links of the header, those of drop-downs too."""
        for item in self.nav:
            yield from item.items or (item,)

    def page_links(self) -> Iterator[tuple[str, str]]:
        """Yield the field and the target of each link in header and footer."""
        for link in (*self.nav_links(), *self.footer.every_link()):
            yield f"{link.where}.href", link.href
        for name, href in self.footer.social.items():
            yield f"footer.social.{name}", href

    def sidebar_place(self, where: str) -> tuple[str, int, int]:
        """File, line and column of an entry of the sidebar."""
        return self.sidebar_file or CONFIG_FILE, *self.place(where)

    def redirect_place(self, source: str) -> tuple[str, int, int]:
        """File, line and column of a redirect: `site.yml`, or the `_redirects` in `static/`."""
        if source in self.redirect_lines:
            return "static/_redirects", self.redirect_lines[source], 1
        return CONFIG_FILE, *self.place(f"redirects.{source}")

    def place(self, field: str) -> tuple[int, int]:
        """Line and column of a field's value in `site.yml`, (0, 0) when it is not there."""
        return self.places.get(field, (0, 0))
