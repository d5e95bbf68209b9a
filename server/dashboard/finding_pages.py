"""Everything that is wrong with a site: each finding with its place, the way out, and the way there.

A finding is mended in the editor at its line, in the settings, or in a folder's form.
"""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web
from msgspec import Struct

from builder import paths
from builder.diagnostics import Diagnostic, Level
from builder.errors import InvalidPath
from builder.paths import TWIN_SUFFIX
from server.authoring.open_site import OpenSite
from server.control.hosted_sites import HostedSite
from server.dashboard.settings_pages import SETTINGS
from server.dashboard.site_visit import address, own_site, route, use
from server.dashboard.tree_pages import CATEGORY, PAGE
from server.dashboard.visit import DashboardRoute, Need, Visit, page_number
from server.findings.site_findings import PresentFindings
from server.history import page_of

FINDINGS = "/problems"
"""The page of a site with all that is wrong."""
_FILES = "/pages/files"
_SETTINGS = {"site.yml": "file", "sidebar.yml": "sidebar"}
"""The files of the settings, and where each is on their page."""
_CATEGORY = "_category_."
SHOWN = 200
"""Findings on one page."""


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
    try:
        paths.parse(page)
    except InvalidPath:
        return ""  # a name that no page can have: there is no editor for it
    line = f"#line-{one.line}" if one.line and not one.file.endswith(TWIN_SUFFIX) else ""
    return address(site, PAGE, path=page) + line


async def findings(visit: Visit) -> web.StreamResponse:
    """Show what is wrong, of one level or in some files if that is asked for."""
    site = own_site(visit)

    def look(opened: OpenSite) -> PresentFindings:
        return visit.desk.looker.present(site, opened)

    found = await use(visit, site, look)
    query = visit.request.query
    level, words = query.get("level", ""), query.get("q", "").strip()
    level = level if level in set(Level) else ""
    fit = _fit(found.told, level, words)
    number, pages = page_number(query.get("page", ""), len(fit), SHOWN)
    shown = fit[(number - 1) * SHOWN : number * SHOWN]
    return visit.show(
        "site-problems.html",
        site=site,
        found=found,
        level=level,
        wanted=words,
        all=len(fit),
        number=number,
        pages=pages,
        shown=[PlacedFinding(one, place_of(site, one)) for one in shown],
    )


def _fit(told: Sequence[Diagnostic], level: str, words: str) -> Sequence[Diagnostic]:
    """Return the findings of this level with these words in file or message."""
    wanted = words.casefold()
    return [
        one
        for one in told
        if level in ("", one.level) and (not wanted or wanted in f"{one.file} {one.message}".casefold())
    ]


ROUTES = (DashboardRoute("GET", route(FINDINGS), Need.SESSION, findings),)
