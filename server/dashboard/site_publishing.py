"""Publishing as the dashboard asks it: jobs, releases, and the state of a site in one word.

A layer below the desk: it knows no request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from builder.errors import StorageError
from server.control.hosted_sites import HostedSite
from server.control.publish_jobs import PublishJob, PublishJobs
from server.domains.domain_claims import DomainClaims
from server.publishing.job_report import JobReport, read_report
from server.publishing.rehearsals import Rehearsals
from server.publishing.site_releases import SiteReleases
from server.readers.reader_counts import ReaderCounts
from server.readers.reader_report import views
from server.releases.live_pointer import Pointer
from server.releases.release import DamagedRelease, ReleaseNotFound, ReleaseRecord

Kind = Literal["publishing", "failed", "unreadable", "offline", "never", "pinned", "live"]


class PublishedSite(Struct, frozen=True):
    """The release that readers have of a site, at the address `url`, and how the last job went.

    `live` is the record of the release that readers have, `latest` that of the one to which
    its owner may return. `fault` says why it cannot be told, if it cannot.
    """

    url: str
    plan: str
    job: PublishJob | None
    pointer: Pointer = Pointer()
    live: ReleaseRecord | None = None
    latest: ReleaseRecord | None = None
    fault: str = ""

    @property
    def kind(self) -> Kind:
        """Return the state in one word: what happens now, then what is wrong, then what readers have."""
        if self.is_publishing:
            return "publishing"
        if self.has_failed:
            return "failed"
        return self.of_readers

    @property
    def of_readers(self) -> Kind:
        """Return what readers have, in one word."""
        if self.fault:
            return "unreadable"
        if self.pointer.offline:
            return "offline"
        if not self.pointer.live:
            return "never"
        return "pinned" if self.pointer.pinned else "live"

    @property
    def is_publishing(self) -> bool:
        """Return whether a job runs, or waits to be begun in a moment."""
        return self.job is not None and self.job.is_under_way and not self.job.is_put_off

    @property
    def has_failed(self) -> bool:
        """Return whether the last job has failed, and was not stopped; it may be tried again."""
        if self.job is None or self.job.was_stopped:
            return False
        return self.job.state == "failed" or self.job.is_put_off

    @property
    def plan_differs(self) -> bool:
        """Return whether readers have the site as another plan renders it."""
        return self._plan_differs(self.live)

    @property
    def address_differs(self) -> bool:
        """Return whether the pages that readers have name another address of the site as theirs."""
        return self._address_differs(self.live)

    @property
    def remedy(self) -> str:
        """Return what an owner does whose readers have the site by another plan, or at another address."""
        if not self.pointer.pinned:
            return "Publish again"
        newest = self.latest
        if newest is self.live or self._plan_differs(newest) or self._address_differs(newest):
            return "Publish, then return to the latest"
        return "Return to the latest"

    def _plan_differs(self, release: ReleaseRecord | None) -> bool:
        return release is not None and release.plan != self.plan

    def _address_differs(self, release: ReleaseRecord | None) -> bool:
        return release is not None and release.url not in {"", self.url}


class SiteDomains(Struct, frozen=True):
    """Domains of sites: `claims` are their rows, and records of them lead to the host `target`.

    `addresses` are those of that host, as far as they are known.
    """

    claims: DomainClaims
    target: str
    addresses: Callable[[], Sequence[str]]


class SitePublishing(Struct, frozen=True):
    """The parts of publishing. `nudge` has jobs looked for at once.

    `url` gives a site's public address, `own_url` the one below the service's, which it always has, and
    `address_at` the one at a domain. `renew_hosts` has readers find a site at the name that
    it has now, and waits until they do.
    """

    jobs: PublishJobs
    releases: SiteReleases
    nudge: Callable[[], None]
    rehearsals: Rehearsals
    url: Callable[[HostedSite], str]
    own_url: Callable[[HostedSite], str]
    address_at: Callable[[str], str]
    domains: SiteDomains
    renew_hosts: Callable[[HostedSite], None]

    @property
    def counts(self) -> ReaderCounts:
        """Return the counts of readers."""
        return ReaderCounts(self.releases.folders.data)

    def views(self, site: HostedSite, days: int) -> int | None:
        """Return the views of a site on the last days; None where they cannot be told."""
        try:
            return views(self.counts, site.id, days)
        except StorageError:
            return None

    def state(self, site: HostedSite) -> PublishedSite:
        """Return the state of a site; a record that cannot be read is a fault in it."""
        url, job = self.url(site), self.jobs.last(site.id)
        try:
            pointer = self.releases.pointer(site)
            live = self.releases.get(site, pointer.live) if pointer.live else None
            latest = self.releases.get(site, pointer.latest) if pointer.pinned else live
        except (StorageError, DamagedRelease, ReleaseNotFound) as error:
            return PublishedSite(url, site.plan, job, fault=str(error))
        return PublishedSite(url, site.plan, job, pointer, live, latest)

    def report(self, job: PublishJob) -> JobReport:
        """Return the news of a job; an empty report where there are none, or none any more."""
        return read_report(self.releases.folders.work(job.site), job.number)
