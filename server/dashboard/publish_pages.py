"""Publish a site: what is new since the live release, and the page of a job as it goes and has gone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from aiohttp import web
from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.errors import RevisionMismatch
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.service import failure_of
from server.authoring.site_settings import InvalidSettings
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite
from server.control.publish_jobs import JobNotFound, PublishJob
from server.control.site_choices import PublishesAfter
from server.control.unpublished_writes import LONGEST, QUIET
from server.dashboard.finding_places import PlacedFinding, place_of
from server.dashboard.forms import form, pressed
from server.dashboard.pages import HEADERS, see
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
from server.publishing.job_report import STEPS, JobReport
from server.publishing.pending_changes import PendingSource
from server.publishing.rehearsals import Rehearsal
from server.releases.release import DamagedRelease, ReleaseRecord

PUBLISH = "/publish"
NUMBER = "{number:[1-9][0-9]{0,8}}"
SHOWN = 100
"""Diagnostics of each level that are shown one by one."""
_STEPS = {"snapshot": "Snapshot", "pages": "Pages", "files": "Files", "switch": "Switch"}
_SAID: Mapping[PublishesAfter, str] = {
    "nothing": "The site is published when you publish it, and never by itself.",
    "long_lived": "What long-lived keys write is published by itself from now on.",
    "all": "What any key writes is published by itself from now on.",
}
_DOING = {
    "waiting": "Publishing begins in a moment",
    "snapshot": "Copying the site as it is now",
    "pages": "Building pages",
    "files": "Looking at the files",
    "switch": "Keeping what is new",
    "ended": "Giving it to readers",
}


class _Publish(Struct, frozen=True):
    despite_errors: bool = False


class _Redirect(Struct, frozen=True):
    old: str
    new: str


class _ByItself(Struct, frozen=True):
    keys: PublishesAfter


class Findings(Struct, frozen=True):
    """Diagnostics of one level: those that are shown, and the number of all."""

    shown: Sequence[PlacedFinding]
    all: int


async def publish(visit: Visit) -> web.StreamResponse:
    """Show what readers have, what was written since, and the button that publishes it."""
    site = own_site(visit)
    state = await _state(visit, site)
    pending = None if state.fault else await _pending(visit, site)
    return visit.show(
        "site-publish.html",
        site=site,
        state=state,
        maker=_maker(visit, site, state.live),
        pending=pending,
        rehearsal=_rehearsal(visit, site, state, pending),
        errors_found=_errors_found(visit, state),
        previewed=visit.desk.previews is not None,
        choices=visit.desk.sites.choices.of(site.id),
        quiet=QUIET,
        longest=LONGEST,
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


async def follow(visit: Visit) -> web.StreamResponse:
    """Show how a job goes, or how it went."""
    site = own_site(visit)
    job, report = _job(visit, site)
    state = await _state(visit, site)
    return visit.show(
        "site-publish-job.html",
        here=address(site, PUBLISH),
        site=site,
        job=job,
        report=report,
        state=state,
        maker=actor_name(job.actor, key_names(visit, site)),
        doing=_doing(job, report),
        steps=_steps(report),
        seconds=_seconds(job),
        wrong=_findings(site, report, {Level.ERROR}, report.errors),
        remarks=_findings(site, report, {Level.WARNING, Level.INFO}),
        number=state.pointer.live,
    )


async def log(visit: Visit) -> web.StreamResponse:
    """Send the log of a job as text, with all that is wrong with the site."""
    site = own_site(visit)
    job, report = _job(visit, site)
    lines = [f"{_clock(line.at)} {line.text}" for line in report.lines]
    found = [f"{one.level.value}: {_file(one)}: {one.message}" for one in report.diagnostics]
    headers = {
        **HEADERS,
        "Content-Disposition": f'attachment; filename="{site.name}-publish-{job.number}.txt"',
    }
    text = "\n".join([*lines, *found, ""])
    return web.Response(text=text, content_type="text/plain", charset="utf-8", headers=headers)


async def stop(visit: Visit) -> web.StreamResponse:
    """Have a job end without a release."""
    site = own_site(visit)
    await pressed(visit.request)
    job, _ = _job(visit, site)
    visit.desk.publishing.jobs.stop(site.id, job.number, by(visit))
    visit.desk.publishing.nudge()
    return see(address(site, f"{PUBLISH}/{job.number}"))


async def by_itself(visit: Visit) -> web.StreamResponse:
    """Have writes by some keys published by themselves, or none."""
    site, given = own_site(visit), await form(visit.request, _ByItself)
    visit.desk.sites.choices.publish_after(site.id, by(visit), given.keys)
    return visit.did(address(site, PUBLISH), _SAID[given.keys])


async def _state(visit: Visit, site: HostedSite) -> PublishedSite:
    return await use_releases(visit, lambda: visit.desk.publishing.state(site))


async def redirect(visit: Visit) -> web.StreamResponse:
    """Lead readers of an address that would vanish to another one."""
    site, edited, given = own_site(visit), author(visit), await form(visit.request, _Redirect)

    def act(opened: OpenSite) -> str:
        try:
            site_settings.add_redirect(opened, given.old, given.new, edited)
        except (InvalidSettings, RevisionMismatch) as error:
            return f"The redirect was not added: {sentence(error)}"
        return f"Readers of {given.old} are led to {given.new} from the next release on."

    return visit.did(address(site, PUBLISH), await use(visit, site, act))


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


def _job(visit: Visit, site: HostedSite) -> tuple[PublishJob, JobReport]:
    """Return the job of the address. Raises Failure where the site has none with its number."""
    publishing = visit.desk.publishing
    try:
        job = publishing.jobs.get(site.id, int(visit.request.match_info["number"]))
    except JobNotFound as error:
        raise Failure("NOT_FOUND", "there is no such job here, or not any more") from error
    return job, publishing.report(job)


def _doing(job: PublishJob, report: JobReport) -> str:
    if job.is_put_off:
        return "It has failed, and is tried again"
    return "Stopping" if job.stop else _DOING[report.step]


def _steps(report: JobReport) -> Mapping[str, str]:
    """Return the state of each step by its words: done, under way, or to come."""
    at = STEPS.index(report.step) if report.step in STEPS else len(STEPS) if report.step == "ended" else -1
    return {
        words: "ok" if STEPS.index(step) < at else "run" if STEPS.index(step) == at else ""
        for step, words in zip(STEPS, (_STEPS[step] for step in STEPS), strict=True)
    }


def _seconds(job: PublishJob) -> int:
    return max(0, (job.ended_at or int(time.time())) - (job.started_at or job.asked_at))


def _findings(site: HostedSite, report: JobReport, levels: set[Level], most: int = 0) -> Findings:
    """Return the diagnostics of these levels; of more than a report tells, `most` is the number."""
    found = [one for one in report.diagnostics if one.level in levels]
    shown = [PlacedFinding(one, place_of(site, one)) for one in found[:SHOWN]]
    return Findings(shown, max(most, len(found)))


def _file(one: Diagnostic) -> str:
    return f"{one.file}:{one.line}" if one.line else one.file


def _clock(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(PUBLISH), Need.SESSION, publish),
    DashboardRoute("POST", route(PUBLISH), Need.SESSION, begin),
    DashboardRoute("GET", route(f"{PUBLISH}/rehearsal"), Need.SESSION, rehearsal),
    DashboardRoute("POST", route(f"{PUBLISH}/redirect"), Need.SESSION, redirect),
    DashboardRoute("POST", route(f"{PUBLISH}/by-itself"), Need.SESSION, by_itself),
    DashboardRoute("GET", route(f"{PUBLISH}/{NUMBER}"), Need.SESSION, follow),
    DashboardRoute("GET", route(f"{PUBLISH}/{NUMBER}/log"), Need.SESSION, log),
    DashboardRoute("POST", route(f"{PUBLISH}/{NUMBER}/stop"), Need.SESSION, stop),
)
