"""The page of a job that publishes a site: how it goes or has gone, its log, and how it is stopped."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice

from aiohttp import web
from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.site import SitePage
from server.authoring.open_site import OpenSite
from server.control.hosted_sites import HostedSite
from server.control.publish_jobs import JobNotFound, PublishJob
from server.dashboard.finding_pages import PlacedFinding, place_of
from server.dashboard.forms import pressed
from server.dashboard.pages import HEADERS, see
from server.dashboard.publish_pages import NUMBER, PUBLISH, published_state
from server.dashboard.revision_views import recent
from server.dashboard.site_visit import (
    actor_name,
    address,
    by,
    key_names,
    own_site,
    route,
    use,
)
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.http.failure import Failure
from server.publishing.job_report import STEPS, JobReport

SHOWN = 100
"""Diagnostics of each level that are shown one by one."""
NEWEST, WRITES = 3, 20
"""Pages that a release is said to have new, and writes among which they are looked for."""
_STEPS = {"snapshot": "Snapshot", "pages": "Pages", "files": "Files", "switch": "Switch"}
_DOING = {
    "waiting": "Publishing begins in a moment",
    "snapshot": "Copying the site as it is now",
    "pages": "Building pages",
    "files": "Looking at the files",
    "switch": "Keeping what is new",
    "ended": "Giving it to readers",
}


class Findings(Struct, frozen=True):
    """Diagnostics of one level: those that are shown, and the number of all."""

    shown: Sequence[PlacedFinding]
    all: int


async def follow(visit: Visit) -> web.StreamResponse:
    """Show how a job goes, or how it went."""
    site = own_site(visit)
    job, report = _job(visit, site)
    state = await published_state(visit, site)
    is_read = job.state == "done" and job.release == state.pointer.live
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
        newest=await _written_last(visit, site, job.asked_at) if is_read else (),
    )


async def _written_last(visit: Visit, site: HostedSite, until: int) -> Sequence[SitePage]:
    """Return new pages of a release; none where the site cannot be opened now, for its job can be told."""
    try:
        return await use(visit, site, lambda opened: _newest(opened, until))
    except Failure:
        return ()


def _newest(opened: OpenSite, until: int) -> Sequence[SitePage]:
    """Return the pages that were written last before a time, of those that readers can have."""
    there = {page.path: page for page in opened.service.view.whole().pages}
    writes = [one for one in recent(opened.history, {}, WRITES).all if one.when <= until]
    written = dict.fromkeys(path for one in writes for path in one.pages if path in there)
    return [there[path] for path in islice(written, NEWEST)]


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
    DashboardRoute("GET", route(f"{PUBLISH}/{NUMBER}"), Need.SESSION, follow),
    DashboardRoute("GET", route(f"{PUBLISH}/{NUMBER}/log"), Need.SESSION, log),
    DashboardRoute("POST", route(f"{PUBLISH}/{NUMBER}/stop"), Need.SESSION, stop),
)
