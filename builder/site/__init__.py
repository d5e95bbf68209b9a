"""The site as one value: everything that is known before the first page is rendered."""

from builder.site.load import CONFIG_FILE, Plan, Site, load
from builder.site.pages import SitePage, readable

__all__ = ["CONFIG_FILE", "Plan", "Site", "SitePage", "load", "readable"]
