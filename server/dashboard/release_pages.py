"""Releases of a site: what readers have, back to a former one and forth again, exports, and offline."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import hdrs, web
from msgspec import Struct

from server.control.hosted_sites import HostedSite
from server.dashboard.forms import form, pressed
from server.dashboard.pages import HEADERS
from server.dashboard.publish_pages import NUMBER
from server.dashboard.site_publishing import PublishedSite
from server.dashboard.site_visit import (
    actor_name,
    address,
    by,
    key_names,
    own_site,
    route,
    use_releases,
)
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.http.limits import AtOnce
from server.publishing.publisher import KEPT_RELEASES
from server.releases.release import ReleaseRecord

RELEASES = "/releases"
AT_ONCE, ALL_AT_ONCE = 2, 8
"""Exports of one account, and of all, at a time."""
_EXPORTS = AtOnce()


class _Named(Struct, frozen=True):
    name: str = ""


class Releases(Struct, frozen=True):
    """The releases of a site, the newest first, and the bytes of all their files together."""

    state: PublishedSite
    all: Sequence[ReleaseRecord]
    size: int


async def releases(visit: Visit) -> web.StreamResponse:
    """Show all releases, and which of them readers have."""
    site, names = own_site(visit), key_names(visit, own_site(visit))
    found = await use_releases(visit, lambda: _releases(visit, site))
    makers = {one.number: actor_name(one.by, names) for one in found.all}
    return visit.show("site-releases.html", site=site, found=found, makers=makers, most=KEPT_RELEASES)


async def roll_back(visit: Visit) -> web.StreamResponse:
    """Give readers a former release."""
    site, number = own_site(visit), _number(visit)
    await pressed(visit.request)
    kept = visit.desk.publishing.releases
    await use_releases(visit, lambda: kept.roll_back(site, number, by(visit)))
    return visit.did(
        address(site, RELEASES), f"Readers have release #{number} until you return to the latest."
    )


async def return_to_latest(visit: Visit) -> web.StreamResponse:
    """Give readers the newest release, and each that comes."""
    site = own_site(visit)
    await pressed(visit.request)
    kept = visit.desk.publishing.releases
    pointer = await use_releases(visit, lambda: kept.return_to_latest(site, by(visit)))
    return visit.did(address(site, RELEASES), f"Readers have release #{pointer.live}, and each that comes.")


async def export(visit: Visit) -> web.StreamResponse:
    """Send the files of a release as a zip, as it is made."""
    site, number = own_site(visit), _number(visit)
    with _EXPORTS.one(visit.who.id, AT_ONCE, "person"), _EXPORTS.one("", ALL_AT_ONCE, "service"):
        pieces = await use_releases(visit, lambda: visit.desk.publishing.releases.export(site, number))
        response = web.StreamResponse(headers=_attached(f"{site.name}-release-{number}.zip"))
        response.content_type = "application/zip"
        await response.prepare(visit.request)
        if visit.request.method != hdrs.METH_HEAD:
            while piece := await visit.desk.sites.do(lambda: next(pieces, b"")):
                await response.write(piece)
        await response.write_eof()
        return response


async def ask_offline(visit: Visit) -> web.StreamResponse:
    """Show the form that takes a site offline."""
    site = own_site(visit)
    return _offline(visit, site, await _state(visit, site))


async def take_offline(visit: Visit) -> web.StreamResponse:
    """Give readers nothing any more, where the name of the site was typed."""
    site, given = own_site(visit), await form(visit.request, _Named)
    if given.name.strip() != site.name:
        errors = {"name": f"Type {site.name} to take this site offline."}
        return _offline(visit, site, await _state(visit, site), 422, errors=errors)
    await use_releases(visit, lambda: visit.desk.publishing.releases.unpublish(site, by(visit)))
    return visit.did(address(site, RELEASES), f"{site.name} is offline. Its releases are kept.")


def _offline(
    visit: Visit, site: HostedSite, state: PublishedSite, status: int = 200, **values: object
) -> web.Response:
    return visit.show(
        "site-offline.html", status, here=address(site, RELEASES), site=site, state=state, **values
    )


async def _state(visit: Visit, site: HostedSite) -> PublishedSite:
    return await use_releases(visit, lambda: visit.desk.publishing.state(site))


def _releases(visit: Visit, site: HostedSite) -> Releases:
    publishing = visit.desk.publishing
    found = publishing.releases.list(site)
    return Releases(publishing.state(site), found, publishing.releases.size(site, found))


def _number(visit: Visit) -> int:
    return int(visit.request.match_info["number"])


def _attached(name: str) -> dict[str, str]:
    return {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(RELEASES), Need.SESSION, releases),
    DashboardRoute("POST", route(f"{RELEASES}/{NUMBER}/roll-back"), Need.SESSION, roll_back),
    DashboardRoute("POST", route(f"{RELEASES}/return-to-latest"), Need.SESSION, return_to_latest),
    DashboardRoute("GET", route(f"{RELEASES}/{NUMBER}/export"), Need.SESSION, export),
    DashboardRoute("GET", route(f"{RELEASES}/offline"), Need.STEP_UP, ask_offline),
    DashboardRoute("POST", route(f"{RELEASES}/offline"), Need.STEP_UP, take_offline),
)
