"""Published sites in the service: what publishes them, their hosts, and what is deleted with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from server.authoring.site_work import SiteWork
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.notices.deliveries import Notices
from server.control.publish_jobs import PublishJobs
from server.control.sqlite.database import ControlDatabase
from server.dashboard.site_publishing import SitePublishing
from server.hosting.threads import Chore, Chores
from server.publishing.publisher import RELEASES, WORK, PublishedFolders, Publisher
from server.publishing.site_releases import SiteReleases
from server.readers.reader_counts import ReaderCounts
from server.releases.hosts import Hosts, MountedHost, write_hosts
from server.site_previews.sites_origin import SitesOrigin

HOSTS, FORGET = 0.5, 600.0
"""Seconds between two looks: whether sites have other names, and for files of sites that are gone."""


@contextmanager
def published_sites(
    data: Path,
    control: ControlDatabase,
    sites: SiteWork,
    origin: SitesOrigin,
    tell: Callable[[str], None],
) -> Iterator[SitePublishing]:
    """Publish what is asked for while the block runs, and keep the hosts of all sites as they are."""
    folders, jobs = PublishedFolders(data), PublishJobs(control)

    def url(site: HostedSite) -> str:
        return origin.below(site.name)

    publisher = Publisher(
        jobs,
        sites.sites,
        folders,
        root=sites.opened.root,
        url=url,
        choices=sites.choices.of,
        notify=Notices(control).notify,
        tell=tell,
    )
    hosts = _HostsFile(sites.sites, origin, data / RELEASES)
    hosts.write()  # before readers are served, who would find no site
    chores = Chores(
        [
            [Chore("writing the hosts of sites", HOSTS, hosts.write)],
            [
                Chore(
                    "deleting releases and counts of sites that are gone",
                    FORGET,
                    lambda: _forget(sites.sites, data),
                )
            ],
        ],
        lambda: True,
    )
    with closing(publisher), closing(chores):
        publisher.start()
        chores.start()
        yield SitePublishing(jobs, SiteReleases(control, folders), publisher.nudge, url)


class _HostsFile:
    """The file of hosts, which is written where it says something else than the rows of sites."""

    def __init__(self, sites: HostedSites, origin: SitesOrigin, folder: Path) -> None:
        self._sites = sites
        self._domain = origin.address.host.lower()
        self._folder = folder
        self._written: Hosts | None = None

    def write(self) -> None:
        """Write it, if need be. Raises DatabaseError and StorageError."""
        found = {
            f"{site.name}.{self._domain}": MountedHost(site.id)
            for site in self._sites.every()
            if site.delete_at is None
        }
        hosts = Hosts(self._domain, found)
        if hosts != self._written:
            write_hosts(self._folder, hosts)
            self._written = hosts


def _forget(sites: HostedSites, data: Path) -> None:
    """Delete what was made for sites that are gone."""
    # The folders first: one that is made after this belongs to a site that is known by then.
    there = [path for folder in (RELEASES, WORK) for path in _folders(data / folder)]
    known = {site.id for site in sites.every()}
    ReaderCounts(data).forget(known)
    for path in there:
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)


def _folders(folder: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError):
        yield from (path for path in folder.iterdir() if path.is_dir())
