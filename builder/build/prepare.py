"""All that is found out of a site before the first page is rendered."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from builder import theme
from builder.build.anchors import PageLinks
from builder.build.configlinks import config_links
from builder.build.layout import Layout, lay_out
from builder.build.options import Options
from builder.build.redirects import check_redirects
from builder.build.shared import make_shared
from builder.build.sizes import image_sizes
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.render import Shared
from builder.site import Site
from builder.store import ContentStore
from builder.updated import Updated, last_changes


class Prepared(Struct, frozen=True):
    """`links` are those of `site.yml` that lead to a place on a page; `changes` is what git has said.

    `diagnostics` are those that were found here: what the site's own sources say of themselves is not in it.
    """

    layout: Layout
    shared: Shared
    links: PageLinks
    changes: Updated
    diagnostics: tuple[Diagnostic, ...]


def prepare(root: Path, store: ContentStore, site: Site, options: Options) -> Prepared:
    """Lay the site out, and make what its pages are rendered with.

    Raises ThemeError when the site's own theme fails.
    """
    layout = lay_out(site)
    changes = changes_of(root, site.config, options)
    folders, unused = theme.of_site(root) if options.trusted else (theme.DEFAULT, ())
    found = [*layout.diagnostics, *changes.diagnostics, *unused]
    shared = make_shared(
        layout,
        found,
        drafts=options.drafts,
        reload=options.reload,
        updated=changes.dates,
        folders=folders,
        sizes=image_sizes(root, store, layout.files),
    )
    links = shared.context.links
    found += check_redirects(site.config, layout.redirects, links)
    return Prepared(layout, shared, config_links(site.config, layout.redirects, links), changes, tuple(found))


def changes_of(root: Path, config: SiteConfig, options: Options) -> Updated:
    """When pages were last changed, where that is wanted and may be found out."""
    return last_changes(root) if options.trusted and config.last_updated else Updated()
