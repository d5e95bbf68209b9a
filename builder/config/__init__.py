"""`site.yml`: a typed configuration in which every field says what it means."""

from __future__ import annotations

from builder.config.fields import CONFIG_FILE, SIDEBAR_FILE, SiteConfig
from builder.config.links import Footer, NavLink, SidebarEntry
from builder.diagnostics import Diagnostic
from builder.schema.option import Option, options

__all__ = [
    "CONFIG_FILE",
    "SIDEBAR_FILE",
    "Footer",
    "NavLink",
    "Option",
    "SidebarEntry",
    "SiteConfig",
    "load",
    "options",
]


def load(
    text: str | bytes, file: str = CONFIG_FILE, sidebar: bytes | None = None
) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """The configuration in `text` (an empty one is all defaults) and what is wrong with it."""
    # What reads YAML takes long to load, and most builds know what is in the file.
    from builder.config.site_yml import read, with_sidebar  # noqa: PLC0415

    found, said = read(text, file)
    if not found.sidebar_file:
        return found, said
    found, more = with_sidebar(found, sidebar)
    return found, (*said, *more)
