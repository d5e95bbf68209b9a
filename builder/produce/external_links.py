"""Collect the links of a site that lead to other hosts, each with its place.

A page is rendered as a build renders it, with an answer for each external link that is a finding at its
place, so that every form of a link is found that a build knows, also within included parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.config.links import SidebarEntry
from builder.links import urls
from builder.links.numbered_links import NumberedLinks, number_of
from builder.links.resolved import Kind, Resolved
from builder.links.table import LinkTable
from builder.markdown.context import Context
from builder.paths import is_within
from builder.plan.layout import HOME, lay_out
from builder.plan.make_shared import SiteFacts, link_table, make_shared
from builder.plan.options import Options
from builder.plan.patterns import is_pattern
from builder.plan.prepare import part_files
from builder.render.render_page import render_text
from builder.site import CONFIG_FILE, SitePage, load
from builder.store import ContentStore

_PART = re.compile(r"in `([^`]+)`, line (\d+), column (\d+)")


class ExternalLink(Struct, frozen=True, order=True):
    """A link to `url` at a place: of a page or of the site's settings, or of a part that a page includes."""

    file: str
    line: int
    column: int
    url: str


class FoundLinks(Struct, frozen=True):
    """The external links of a site, and the number of pages that were read."""

    links: tuple[ExternalLink, ...]
    pages: int


def external_links(store: ContentStore, options: Options) -> FoundLinks:
    """Collect the links of the site in `store`; those of drafts where `options` have them.

    Raises ConfigError when the folder is no site.
    """
    site = load(store, plan=options.plan, url=options.url, drafts=options.drafts)
    layout = lay_out(site)
    facts = SiteFacts(parts=part_files(store.root, options))
    context = make_shared(layout, [], options, facts).context
    table = link_table(layout, drafts=options.drafts)
    found = set(_of_settings(site.config, table))
    for page in site.pages:
        found.update(_of_page(page, context, table))
    return FoundLinks(tuple(sorted(found)), len(site.pages))


def _of_page(page: SitePage, context: Context, table: LinkTable) -> Iterator[ExternalLink]:
    """Yield the links of a page, and of its hand-written twin."""
    yield from _of_text(replace(page, twin=None), context, table)
    if page.twin is not None:
        document = replace(page.document.with_body(page.twin), first_line=1)
        twin = replace(page, file=page.twin_file, format="md", document=document, twin=None)
        yield from _of_text(twin, context, table)


def _of_text(page: SitePage, context: Context, table: LinkTable) -> Iterator[ExternalLink]:
    asked = _Asked(table=table)
    text = render_text(page, replace(context, links=asked, site_digest=b""))
    placed: set[str] = set()
    for one in text.diagnostics:
        said = number_of(one.code, one.message)
        if said is None:
            continue
        url = asked.urls[said[0]]
        placed.add(url)
        part = _PART.match(said[1])
        place = (part[1], int(part[2]), int(part[3])) if part else (one.file, one.line, one.column)
        yield ExternalLink(*place, url)
    for url in dict.fromkeys(asked.urls):
        if url not in placed:
            yield ExternalLink(page.file, 0, 0, url)


def _of_settings(config: SiteConfig, table: LinkTable) -> Iterator[ExternalLink]:
    """Yield the links of `site.yml`, of the sidebar and of redirects."""
    fields = [*config.page_links(), ("announcement.href", config.announcement.href)]
    fields += [(name, getattr(config, name)) for name in ("logo", "favicon", "social_image")]
    places = [((CONFIG_FILE, *config.place(name)), href) for name, href in fields]
    places += [
        (config.sidebar_place(f"{entry.where}.href"), entry.href) for entry in _entries(config.sidebar)
    ]
    places += [
        (config.redirect_place(source), target)
        for source, target in config.redirects.items()
        if not is_pattern(source)
    ]
    for place, href in places:
        if href and (url := outside(table, href, HOME, "link")):
            yield ExternalLink(*place, url)


def _entries(entries: tuple[SidebarEntry, ...]) -> Iterator[SidebarEntry]:
    for entry in entries:
        yield entry
        yield from _entries(entry.items)


def outside(table: LinkTable, href: str, from_path: str, kind: Kind) -> str:
    """Return the web address of another host, or of another service on the site's own; "" for any other.

    What `check` tells of is left to it.
    """
    found = table.resolve(href, from_path, kind)
    if found.path is not None or (found.problem is not None and found.problem[0] != "image-insecure"):
        return ""
    url = found.absolute
    if url[:7].lower() != "http://" and url[:8].lower() != "https://":
        return ""
    rest = urls.below(url, table.origin + table.base) if table.origin else None
    return url if rest is None or not _is_own(table, rest, kind) else ""


def _is_own(table: LinkTable, rest: str, kind: Kind) -> bool:
    """Return whether the site itself has what is at this address of its host."""
    path = rest.partition("#")[0].partition("?")[0]
    if path.lstrip("/") in table.files:
        return True
    if any(is_within(path, prefix) for prefix in table.elsewhere):
        return False
    return table.resolve(rest, HOME, kind).problem is None


class _Asked(NumberedLinks, kw_only=True):
    """Answers each external link with its number, and remembers it; others as the site's table does."""

    table: LinkTable
    urls: list[str] = field(default_factory=list)

    def resolve(self, href: str, from_path: str, kind: Kind = "link") -> Resolved:
        """Return a finding that has the number of the link."""
        url = outside(self.table, href, from_path, kind)
        if not url:
            return self.table.resolve(href, from_path, kind)
        self.urls.append(url)
        return self.numbered(href, url)
