"""Publish a site: what is new since the live release, and what publishes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiohttp import web
from msgspec import Struct

from builder.config.settings_text import InvalidSettings
from builder.errors import RevisionMismatch
from builder.moves.redirect_plan import RefusedRedirect
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.store_failures import failure_of
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite
from server.control.site_choices import PublishesAfter, SiteChoices
from server.control.unpublished_writes import LONGEST, QUIET
from server.dashboard.forms import form
from server.dashboard.pages import see
from server.dashboard.revision_views import PendingView, pending_view
from server.dashboard.site_publishing import PublishedSite
from server.dashboard.site_visit import (
    actor_name,
    address,
    author,
    by,
    key_names,
    own_site,
    route,
    use,
    use_releases,
)
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.publishing.pending_changes import PendingSource
from server.publishing.rehearsals import Rehearsal
from server.releases.release import DamagedRelease, ReleaseRecord

PUBLISH = "/publish"
NUMBER = "{number:[1-9][0-9]{0,8}}"
_SAID: Mapping[PublishesAfter, str] = {
    "nothing": "The site is published when you publish it, and never by itself.",
    "long_lived": "What long-lived keys write is published by itself from now on.",
    "all": "What any key writes is published by itself from now on.",
}


class _Publish(Struct, frozen=True):
    despite_errors: bool = False


class WantedRedirect(Struct, frozen=True):
    """The form of a redirect: an address of the site, and where it is to lead."""

    old: str
    new: str


class _ByItself(Struct, frozen=True):
    keys: PublishesAfter


async def publish(visit: Visit) -> web.StreamResponse:
    """Show what readers have, what was written since, and the button that publishes it."""
    site = own_site(visit)
    state = await published_state(visit, site)
    pending = None if state.fault else await _pending(visit, site)
    choices = visit.desk.sites.choices.of(site.id)
    return visit.show(
        "site-publish.html",
        site=site,
        state=state,
        maker=_maker(visit, site, state.live),
        pending=pending,
        rehearsal=_rehearsal(visit, site, state, pending),
        errors_found=_errors_found(visit, state),
        errors_known=await use(visit, site, lambda it: visit.desk.looker.present(site, it).numbers.error),
        previewed=visit.desk.previews is not None,
        choices=choices,
        searches_differ=searches_differ(state, choices),
        quiet=QUIET,
        longest=LONGEST,
        due_at=visit.desk.sites.choices.due_at(site.id) if state.live else 0,
    )


async def rehearsal(visit: Visit) -> web.StreamResponse:
    """Show what the build before the publishing has found, as far as it is."""
    site = own_site(visit)
    known = visit.desk.publishing.rehearsals.known(site.id)
    return visit.show("site-rehearsal.html", here=address(site, PUBLISH), site=site, rehearsal=known)


async def begin(visit: Visit) -> web.StreamResponse:
    """Have the site published, and go on to the page of the job."""
    site, given = own_site(visit), await form(visit.request, _Publish)
    publishing = visit.desk.publishing
    try:
        job = publishing.jobs.ask(site.id, by(visit), despite_errors=given.despite_errors)
    except SiteNotFound as error:
        raise Failure("NOT_FOUND", "there is no such site here") from error
    publishing.nudge()
    return see(address(site, f"{PUBLISH}/{job.number}"))


async def by_itself(visit: Visit) -> web.StreamResponse:
    """Have writes by some keys published by themselves, or none."""
    site, given = own_site(visit), await form(visit.request, _ByItself)
    visit.desk.sites.choices.publish_after(site.id, by(visit), given.keys)
    return visit.did(address(site, PUBLISH), _SAID[given.keys])


async def published_state(visit: Visit, site: HostedSite) -> PublishedSite:
    """Return the release that readers have of a site, and its last job."""
    return await use_releases(visit, lambda: visit.desk.publishing.state(site))


def searches_differ(state: PublishedSite, choices: SiteChoices) -> bool:
    """Return whether the search of the live release tells of what it does not find against the choice."""
    return state.live is not None and state.live.counts_searches != choices.counts_searches


async def redirect(visit: Visit) -> web.StreamResponse:
    """Lead readers of an address that would vanish to another one."""
    site, given = own_site(visit), await form(visit.request, WantedRedirect)
    if fault := await redirect_fault(visit, site, given):
        return visit.refused(address(site, PUBLISH), f"The redirect was not added. {fault}")
    said = f"Readers of {given.old} are led to {given.new.strip()} from the next release on."
    return visit.did(address(site, PUBLISH), said)


async def redirect_fault(visit: Visit, site: HostedSite, given: WantedRedirect) -> str:
    """Add a redirect, and return why it was not added, "" when it was."""
    old, new, edited = given.old, given.new.strip(), author(visit)
    try:
        await use(visit, site, lambda opened: site_settings.add_checked_redirect(opened, old, new, edited))
    except (InvalidSettings, RefusedRedirect, RevisionMismatch) as error:
        return sentence(error)
    return ""


async def _pending(visit: Visit, site: HostedSite) -> PendingView:
    """Return what readers do not have yet."""
    names, folders = key_names(visit, site), visit.desk.publishing.releases.folders

    def act(opened: OpenSite) -> PendingView:
        source = PendingSource(opened.root, opened.history, folders.releases(site.id), folders.work(site.id))
        return pending_view(opened, source, names)

    try:
        return await use(visit, site, act)
    except DamagedRelease as error:
        raise failure_of(error) from error


def _rehearsal(
    visit: Visit, site: HostedSite, state: PublishedSite, pending: PendingView | None
) -> Rehearsal | None:
    """Have the site built as readers would have it; None where that would tell nothing."""
    if pending is None or pending.found.is_empty or not pending.found.live or state.is_publishing:
        return None
    mark = (pending.found.mark, site.plan)
    return visit.desk.publishing.rehearsals.ask(site, mark, pending.found.moved)


def _errors_found(visit: Visit, state: PublishedSite) -> int:
    """Return the number of errors for which the last job has failed, 0 where it has not."""
    return visit.desk.publishing.report(state.job).errors if state.job and state.has_failed else 0


def _maker(visit: Visit, site: HostedSite, record: ReleaseRecord | None) -> str:
    return actor_name(record.by, key_names(visit, site)) if record else ""


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(PUBLISH), Need.SESSION, publish),
    DashboardRoute("POST", route(PUBLISH), Need.SESSION, begin),
    DashboardRoute("GET", route(f"{PUBLISH}/rehearsal"), Need.SESSION, rehearsal),
    DashboardRoute("POST", route(f"{PUBLISH}/redirect"), Need.SESSION, redirect),
    DashboardRoute("POST", route(f"{PUBLISH}/by-itself"), Need.SESSION, by_itself),
)
