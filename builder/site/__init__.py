"""The site as one value: everything that is known before the first page is rendered."""

from builder.config import CONFIG_FILE, SIDEBAR_FILE
from builder.site.included import titled, variable_scopes
from builder.site.load import (
    REDIRECTS_FILE,
    SETTINGS,
    Plan,
    Site,
    Sources,
    empty_site,
    listed_sources,
    load,
    load_config,
    read_sources,
    shown_page,
    site_of,
    sources_digest,
    with_pages,
)
from builder.site.pages import SitePage, readable, with_digest
from builder.site.placed import address_of, has_slugs, place_alike, place_by_path, placed, read_at_place
from builder.site.reader import Configured, Memory, Read, Remembered, of_source, read

__all__ = [
    "CONFIG_FILE",
    "REDIRECTS_FILE",
    "SETTINGS",
    "SIDEBAR_FILE",
    "Configured",
    "Memory",
    "Plan",
    "Read",
    "Remembered",
    "Site",
    "SitePage",
    "Sources",
    "address_of",
    "empty_site",
    "has_slugs",
    "listed_sources",
    "load",
    "load_config",
    "of_source",
    "place_alike",
    "place_by_path",
    "placed",
    "read",
    "read_at_place",
    "read_sources",
    "readable",
    "shown_page",
    "site_of",
    "sources_digest",
    "titled",
    "variable_scopes",
    "with_digest",
    "with_pages",
]
