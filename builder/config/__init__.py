"""`site.yml`: a typed configuration in which every field says what it means."""

from builder.config.fields import Footer, NavLink, SiteConfig
from builder.config.load import load
from builder.option import Option, options

__all__ = ["Footer", "NavLink", "Option", "SiteConfig", "load", "options"]
