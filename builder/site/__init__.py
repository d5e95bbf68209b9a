"""The site as one value: everything that is known before the first page is rendered."""

from builder.site.load import CONFIG_FILE, Plan, Site, load
from builder.site.pages import SitePage, readable
from builder.site.reader import Memory, Read, of_source

__all__ = ["CONFIG_FILE", "Memory", "Plan", "Read", "Site", "SitePage", "load", "of_source", "readable"]
