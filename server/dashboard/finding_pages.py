"""Everything that is wrong with a site: each finding with its place, the way out, and the way there."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from builder.diagnostics import Diagnostic, Level
from server.authoring.open_site import OpenSite
from server.dashboard.finding_places import FINDINGS, PlacedFinding, place_of
from server.dashboard.site_visit import own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, page_number
from server.findings.site_findings import PresentFindings

SHOWN = 200
"""Findings on one page."""


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
