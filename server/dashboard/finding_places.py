"""The places at which diagnostics are mended: the editor at their line, the settings, a folder's form."""

from __future__ import annotations

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.paths import TWIN_SUFFIX
from server.control.hosted_sites import HostedSite
from server.dashboard.settings_pages import SETTINGS
from server.dashboard.site_visit import address
from server.dashboard.tree_pages import CATEGORY, PAGE
from server.history import page_of

FINDINGS = "/problems"
"""The page of a site with all that is wrong."""
_FILES = "/pages/files"
_SETTINGS = {"site.yml": "file", "sidebar.yml": "sidebar"}
"""The files of the settings, and where each is on their page."""
_CATEGORY = "_category_."


class PlacedFinding(Struct, frozen=True):
    """A diagnostic, and the address at which it can be mended, "" for none."""

    found: Diagnostic
    place: str


def place_of(site: HostedSite, one: Diagnostic) -> str:
    """Return the address at which a problem can be mended, "" for a file that has no place here."""
    if one.file in _SETTINGS:
        return f"{address(site, SETTINGS)}#{_SETTINGS[one.file]}"
    page, (folder, _, name) = page_of(one.file), one.file.rpartition("/")
    if name.startswith(_CATEGORY) and folder:
        return address(site, CATEGORY, path=folder)
    if page == one.file:
        return address(site, _FILES) if folder else ""
    line = f"#line-{one.line}" if one.line and not one.file.endswith(TWIN_SUFFIX) else ""
    return address(site, PAGE, path=page) + line
