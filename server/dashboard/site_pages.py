"""Sites: list and create them, see what is going on in one, rename it, delete and restore it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from urllib.parse import quote

from aiohttp import web
from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.errors import StorageError
from server.authoring.open_site import OpenSite
from server.authoring.store_failures import failure_of
from server.control.errors import InvalidSiteName, SiteLimitReached, SiteNameTaken, SiteNotFound
from server.control.hosted_sites import HostedSite
from server.dashboard.finding_pages import PlacedFinding, place_of
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.pages import see
from server.dashboard.revision_views import LastChanges, Names, recent
from server.dashboard.site_visit import (
    PREVIEW,
    SITES,
    address,
    by,
    key_names,
    own_site,
    preview_of,
    route,
    use,
)
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.findings.site_findings import PresentFindings
from server.http.failure import Failure

DAYS = 30
"""Days whose views the overview tells."""
LAST = 5
"""Writes that the overview shows."""


class _Named(Struct, frozen=True):
    name: str = ""


class Overview(Struct, frozen=True):
    """A site as its first page shows it; `written` are those pages of the last writes that there are now."""

    title: str
    pages: int
    drafts: int
    wrong: PresentFindings
    writes: LastChanges
    written: frozenset[str]
    history_bytes: int


async def sites(visit: Visit) -> web.StreamResponse:
    """Show all sites of the account."""
    return await _list(visit)


async def create(visit: Visit) -> web.StreamResponse:
    """Create a site from the starter."""
    try:
        given = await form(visit.request, _Named)
    except FormError as error:
        return await _list(visit, errors=error.errors, given=error.given)
    work = visit.desk.sites
    try:
        site = await work.do(lambda: work.create(visit.who.id, given.name, by(visit)))
    except (InvalidSiteName, SiteNameTaken, SiteLimitReached) as error:
        return await _list(visit, errors={"name": sentence(error)}, given={"name": given.name})
    except StorageError as error:
        raise failure_of(error) from error
    return visit.did(address(site), f"{site.name} is created, with pages to read and change.")


async def overview(visit: Visit) -> web.StreamResponse:
    """Show what is going on in a site, and what to do next."""
    site = own_site(visit)
    names = key_names(visit, site)

    def look(opened: OpenSite) -> Overview:
        return _overview(opened, names, visit.desk.looker.present(site, opened))

    found = await use(visit, site, look)
    keys = [key for key in visit.desk.sites.keys.list(site.id) if key.state(time.time()) == "active"]
    return visit.show(
        "site.html",
        site=site,
        found=found,
        most_history=visit.desk.plans[visit.who.plan].history_bytes,
        keys=keys,
        published=await visit.desk.sites.do(lambda: visit.desk.publishing.state(site)),
        views=await visit.desk.sites.do(lambda: visit.desk.publishing.views(site, DAYS)),
        days=DAYS,
        places=[PlacedFinding(one, place_of(site, one)) for one in _errors(found.wrong)[:LAST]],
        previewed=visit.desk.previews is not None,
    )


def _overview(opened: OpenSite, names: Names, wrong: PresentFindings) -> Overview:
    site = opened.service.view.whole()
    writes = recent(opened.history, names, LAST)
    there = {page.path for page in (*site.pages, *site.drafts)}
    written = frozenset(page for one in writes.all for page in one.pages if page in there)
    counts = len(site.pages), len(site.drafts)
    return Overview(site.config.title, *counts, wrong, writes, written, opened.history.size())


def _errors(found: PresentFindings) -> Sequence[Diagnostic]:
    return [one for one in found.told if one.level == Level.ERROR]


async def preview(visit: Visit) -> web.StreamResponse:
    """Go on to where the site, or a page of it, is shown as readers would see it."""
    site, page = own_site(visit), quote(visit.request.match_info.get("page", "/"))
    base = await use(visit, site, lambda opened: opened.service.view.base_path())
    found = preview_of(visit, site, f"{quote(base)}{page}")
    if not found:
        raise Failure("NOT_FOUND", "this service shows no previews")
    return see(found)


async def ask_rename(visit: Visit) -> web.StreamResponse:
    """Show the form for another name."""
    site = own_site(visit)
    return visit.show("site-rename.html", site=site, given={"name": site.name})


async def rename(visit: Visit) -> web.StreamResponse:
    """Give a site another name."""
    site, given = own_site(visit), await form(visit.request, _Named)
    try:
        renamed = visit.desk.sites.sites.rename(site.id, given.name, by(visit))
    except (InvalidSiteName, SiteNameTaken, SiteLimitReached) as error:
        errors = {"name": sentence(error)}
        return visit.show("site-rename.html", 422, site=site, given={"name": given.name}, errors=errors)
    renew_hosts = visit.desk.publishing.renew_hosts
    await visit.desk.sites.do(lambda: renew_hosts(renamed))  # before a page links to its new address
    return visit.did(address(renamed), f"The site is called {renamed.name} now.")


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that has a site deleted."""
    return visit.show("site-delete.html", site=own_site(visit))


async def delete(visit: Visit) -> web.StreamResponse:
    """Have a site deleted whose name was typed."""
    site, given = own_site(visit), await form(visit.request, _Named)
    if given.name.strip() != site.name:
        errors = {"name": f"Type {site.name} to delete this site."}
        return visit.show("site-delete.html", 422, site=site, errors=errors)
    visit.desk.sites.sites.delete(site.id, by(visit))
    return visit.did(SITES, f"{site.name} will be deleted. For seven days you can restore it here.")


async def restore(visit: Visit) -> web.StreamResponse:
    """Keep a site that was to be deleted."""
    await pressed(visit.request)
    try:
        site = visit.desk.sites.sites.named(visit.who.id, visit.request.match_info["site"])
    except SiteNotFound as error:
        raise Failure("NOT_FOUND", "there is no such site here") from error
    restored = visit.desk.sites.sites.restore(site.id, by(visit))
    if restored.delete_at is not None:
        raise Failure("NOT_FOUND", "the time is over in which the site could be restored")
    return visit.did(address(site), f"{site.name} is here again, with all its keys.")


async def home(_: Visit) -> web.StreamResponse:
    """Go on to where an account's work is."""
    return see(SITES)


async def _list(visit: Visit, **values: object) -> web.Response:
    found: Sequence[HostedSite] = visit.desk.sites.sites.list(visit.who.id)
    there = [site for site in found if site.delete_at is None]
    state = visit.desk.publishing.state
    return visit.show(
        "sites.html",
        422 if values.get("errors") else 200,
        here=SITES,
        sites=there,
        published=await visit.desk.sites.do(lambda: {site.id: state(site) for site in there}),
        deleted=[site for site in found if site.delete_at is not None],
        most=visit.desk.plans[visit.who.plan].sites,
        **values,
    )


ROUTES = (
    DashboardRoute("GET", "/", Need.SESSION, home),
    DashboardRoute("GET", SITES, Need.SESSION, sites),
    DashboardRoute("POST", SITES, Need.SESSION, create),
    DashboardRoute("GET", route(), Need.SESSION, overview),
    DashboardRoute("GET", route(PREVIEW), Need.SESSION, preview),
    DashboardRoute("GET", route(f"{PREVIEW}{{page:/.*}}"), Need.SESSION, preview),
    DashboardRoute("GET", route("/rename"), Need.SESSION, ask_rename),
    DashboardRoute("POST", route("/rename"), Need.SESSION, rename),
    DashboardRoute("GET", route("/delete"), Need.STEP_UP, ask_delete),
    DashboardRoute("POST", route("/delete"), Need.STEP_UP, delete),
    DashboardRoute("POST", route("/restore"), Need.SESSION, restore),
)
