"""The places at which diagnostics are mended: the editor at their line, or the settings."""

from __future__ import annotations

from builder.diagnostics import Diagnostic
from builder.paths import TWIN_SUFFIX
from server.control.hosted_sites import HostedSite
from server.dashboard.settings_pages import SETTINGS
from server.dashboard.site_visit import address
from server.dashboard.tree_pages import PAGE
from server.history import page_of


def place_of(site: HostedSite, one: Diagnostic) -> str:
    """Return the address at which a problem can be mended, "" for a file that has no editor."""
    if one.file == "site.yml":
        return f"{address(site, SETTINGS)}#file"
    page = page_of(one.file)
    if page == one.file:
        return ""
    line = f"#line-{one.line}" if one.line and not one.file.endswith(TWIN_SUFFIX) else ""
    return address(site, PAGE, path=page) + line
