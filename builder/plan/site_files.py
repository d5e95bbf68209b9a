"""Everything a build writes beside pages and files: lists for machines, redirects, the theme's own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice

from builder import search, theme
from builder.config.analytics import PROVIDERS
from builder.markdown.page import UpdateEntry
from builder.plan import llms_full, sitemap
from builder.plan.layout import HOME, Layout, full_places, public_addresses
from builder.plan.llms_full import FullFile, Twins
from builder.plan.llms_index import IndexFile
from builder.plan.redirects import Redirect, leads_to
from builder.render import Shared
from builder.site import SitePage
from builder.theme import Asset, Folders
from builder.unicode import encoded

ROBOTS = "robots.txt"
FULL = llms_full.NAME
ADDRESSES = f"{theme.FOLDER}/urls.txt"
"""The list of all addresses, see `builder.plan.addresses`."""

SEARCHES = f"{theme.FOLDER}/searches"
"""The file that says that searches without a result are counted; at its address the search tells them."""
_COUNTED = b"The search of this site tells this address what it did not find, and nothing else.\n"

SHEETS = (
    "badge", "columns", "definition-lists", "diagrams", "file-tree", "frame", "math", "tooltip", "update",
)  # fmt: skip
"""Extras with a style sheet of their own."""
SCRIPTS = ("frame", "tooltip")
"""Extras with a script of their own."""

Make = Callable[[], bytes]
"""Makes one file."""

Updates = Callable[[SitePage], Sequence[UpdateEntry]]
"""Gives the entries of a page's changelog."""


def lists(layout: Layout, shared: Shared) -> Iterator[tuple[str, Make]]:
    """The files that no page's text is needed for: their output paths, and what makes each."""
    yield from _index(layout, shared)
    if layout.sitemap:
        yield from _sitemap(layout)
    if not any(file.output == ROBOTS for file in layout.files):
        yield ROBOTS, lambda: encoded(robots(shared.url))
    yield ".nojekyll", bytes
    if shared.theme.counts_searches:
        yield SEARCHES, lambda: _COUNTED
    yield from _redirects(layout, shared)
    if layout.redirects or layout.patterns:
        yield from _host_files(layout, shared)
    yield from ((asset.path, partial(bytes, asset.data)) for asset in own_files(layout, shared))


def feeds(layout: Layout, shared: Shared, updates: Updates) -> Iterator[tuple[str, Make]]:
    """The feeds of pages, which are made of these pages' `updates`."""
    for page in layout.feeds:
        yield feed_output(page), partial(_feed, page, shared, updates)


def feed_output(page: SitePage) -> str:
    """The output path of a page's feed."""
    return page.feed_url[1:]


def _feed(page: SitePage, shared: Shared, updates: Updates) -> bytes:
    from builder.plan.atom_feed import atom_feed  # noqa: PLC0415 - few sites have one

    return atom_feed(page, shared, updates(page))


def _index(layout: Layout, shared: Shared) -> Iterator[tuple[str, Make]]:
    """`llms.txt`, and its parts on a large site."""
    site = shared.url or shared.base
    yield from ((file.output, partial(_index_file, file, site)) for file in layout.index)


def _index_file(file: IndexFile, site: str) -> bytes:
    return encoded(file.text(site))


def full(layout: Layout, twins: Twins) -> Iterator[FullFile]:
    """`llms-full.txt`, and its parts on a large site."""
    yield from layout.full.files(twins, full_places(layout))


def own_files(layout: Layout, shared: Shared) -> tuple[Asset, ...]:
    """The theme's files, and the list of pages for its script."""
    files = theme.theme_files(shared.theme_folders)
    own = (
        style_sheet(layout, shared.theme_folders),
        theme_script(layout, shared.theme_folders),
        files.search_css,
        files.search_js,
    )
    extras = extra_sheets(layout, shared.theme_folders).values()
    scripts = extra_scripts(layout, shared.theme_folders).values()
    return (*own, *files.ondemand.values(), *extras, *scripts, *_counting(layout, shared), layout.pages_list)


def _counting(layout: Layout, shared: Shared) -> Iterator[Asset]:
    """Our own scripts that call those of providers of statistics, where pages have these."""
    for name in layout.site.config.analytics if shared.site.scripts else ():
        if not PROVIDERS[name].script:
            yield theme.part_script(shared.theme_folders, name)


def planned(layout: Layout, shared: Shared) -> Iterator[str]:
    """The places below `/_tp/` that are known before pages are rendered."""
    yield from (asset.path for asset in own_files(layout, shared))
    yield search_file(search.ENTRY)
    yield ADDRESSES
    if shared.theme.counts_searches:
        yield SEARCHES


def search_file(name: str) -> str:
    """The output path of a file of the search."""
    return f"{theme.FOLDER}/{name}"


def excerpts_script(layout: Layout, folders: Folders) -> str:
    """The name of the script that cuts excerpts from twins; empty on a site that has files for them."""
    if layout.site.config.search_excerpts == "files":
        return ""
    return theme.theme_files(folders).ondemand["excerpts"].path.removeprefix(f"{theme.FOLDER}/")


def style_sheet(layout: Layout, folders: Folders) -> Asset:
    """The theme's style sheet as this site needs it."""
    return theme.style_sheet(folders, layout.site.config.accent, layout.style_parts)


def extra_sheets(layout: Layout, folders: Folders) -> dict[str, Asset]:
    """The style sheets of extras that only some pages of a site need, by extra."""
    return {name: theme.part_sheet(folders, name) for name in SHEETS if name in layout.site.config.extras}


def extra_scripts(layout: Layout, folders: Folders) -> dict[str, Asset]:
    """The scripts of extras that only some pages of a site need, by extra."""
    return {name: theme.part_script(folders, name) for name in SCRIPTS if name in layout.site.config.extras}


def theme_script(layout: Layout, folders: Folders) -> Asset:
    """The theme's script as this site needs it."""
    return theme.script(folders, ["nav"] if any(item.items for item in layout.site.config.nav) else [])


def _sitemap(layout: Layout) -> Iterator[tuple[str, Make]]:
    """The sitemap: a file, or its parts and the index that names them."""
    counts, parts = layout.sitemap, sitemap.names(layout.sitemap)
    if not parts:
        yield sitemap.NAME, lambda: encoded(sitemap.whole(_addresses(layout)))
        return
    url = layout.site.config.url
    yield sitemap.NAME, lambda: encoded(sitemap.index(f"{url}/{name}" for name in parts))
    for name, end, count in zip(parts, accumulate(counts), counts, strict=True):
        yield name, partial(_part, layout, end - count, end)


def _part(layout: Layout, begin: int, end: int) -> bytes:
    """The part of the sitemap with the addresses from `begin` to before `end`."""
    return encoded(sitemap.whole(islice(_addresses(layout), begin, end)))


def _addresses(layout: Layout) -> Iterator[str]:
    return public_addresses(layout.site, layout.root, layout.generated, layout.home)


def _redirects(layout: Layout, shared: Shared) -> Iterator[tuple[str, Make]]:
    yield from (
        (redirect.output, partial(_redirect, redirect, shared))
        for redirect in layout.redirects
        if redirect.has_page
    )
    if layout.redirects or layout.patterns:
        yield "_redirects", lambda: encoded(redirect_rules(_rules(layout, shared)))


def _host_files(layout: Layout, shared: Shared) -> Iterator[tuple[str, Make]]:
    """The redirects as servers of one's own read them."""
    for host in dict.fromkeys(layout.site.config.redirect_files):
        yield f"_redirects.{host}", partial(_host_file, host, layout, shared)


def _host_file(host: str, layout: Layout, shared: Shared) -> bytes:
    from builder.plan.host_rules import host_rules  # noqa: PLC0415 - few sites want it

    return encoded(host_rules(host, _rules(layout, shared)))


def _redirect(redirect: Redirect, shared: Shared) -> bytes:
    """The page at an old address."""
    target = shared.context.links.resolve(redirect.target, HOME)
    return shared.redirect(redirect.path, target.href, target.absolute)


def _rules(layout: Layout, shared: Shared) -> dict[str, str]:
    config, links = layout.site.config, shared.context.links
    rules = {shared.base + each.url: leads_to(each, config, links) for each in layout.redirects}
    # Those for many addresses come last, so that no other rule is shadowed.
    return rules | {shared.base + each.source: leads_to(each, config, links) for each in layout.patterns}


def robots(url: str) -> str:
    """`robots.txt`: everything may be read; names the sitemap when the site's address is known."""
    return "User-agent: *\nAllow: /\n" + (f"\nSitemap: {url}/sitemap.xml\n" if url else "")


def redirect_rules(rules: Mapping[str, str]) -> str:
    """`_redirects` as Netlify and Cloudflare Pages read it: from, to, status."""
    return "".join(f"{old} {new} 301\n" for old, new in rules.items())
