"""The links of `site.yml` that lead to a place on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from builder.config import SiteConfig
from builder.links.resolved import Links
from builder.markdown.page import OutgoingLink
from builder.plan.anchor_check import PageLinks
from builder.plan.layout import HOME
from builder.plan.redirects import Redirect
from builder.site import CONFIG_FILE


def config_links(config: SiteConfig, redirects: Iterable[Redirect], table: Links) -> PageLinks:
    """All links whose fragment must be checked, each with its place."""
    return PageLinks(CONFIG_FILE, "", frozenset(), tuple(_outgoing(config, redirects, table)))


def _outgoing(config: SiteConfig, redirects: Iterable[Redirect], table: Links) -> Iterator[OutgoingLink]:
    for field, href in _fields(config, redirects):
        resolved = table.resolve(href, HOME)
        if resolved.path is not None and resolved.fragment and resolved.problem is None:
            yield OutgoingLink(resolved.path, resolved.fragment, *config.place(field), href)


def _fields(config: SiteConfig, redirects: Iterable[Redirect]) -> Iterator[tuple[str, str]]:
    """The name of each link's field, and the link."""
    for link in (*config.nav, *config.footer.links):
        yield f"{link.where}.href", link.href
    yield "announcement.href", config.announcement.href
    for redirect in redirects:
        yield f"redirects.{redirect.source}", redirect.target
