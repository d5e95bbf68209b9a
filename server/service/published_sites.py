"""Published sites in the service: what publishes them, their hosts, and what is deleted with them."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from server.authoring.site_work import SiteWork
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.notices.deliveries import Notices
from server.control.publish_jobs import PublishJobs
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import chosen
from server.dashboard.site_publishing import SitePublishing
from server.hosting.threads import Chore, Chores
from server.publishing.publisher import WORK, PublishedFolders, Publisher
from server.publishing.rehearsals import Rehearsals
from server.publishing.site_releases import SiteReleases
from server.readers.reader_counts import ReaderCounts
from server.releases.hosts import Hosts, MountedHost, write_hosts
from server.releases.object_store import ObjectStore
from server.releases.site_stores import SiteStores
from server.site_previews.sites_origin import SitesOrigin

UNFINISHED = 24 * 3600.0
"""Seconds after which nobody writes to a file any more that is not whole: its process was killed."""
HOSTS, FORGET = 0.5, 600.0
"""Seconds between two looks: whether sites have other names, and for files of sites that are gone."""


def service_id(control: ControlDatabase) -> str:
    """Return the id of the service, which is chosen once: a bucket of releases belongs to one."""
    return chosen(control, "service", lambda: secrets.token_hex(16))


@contextmanager
def published_sites(
    folders: PublishedFolders,
    control: ControlDatabase,
    sites: SiteWork,
    origin: SitesOrigin,
    tell: Callable[[str], None],
) -> Iterator[SitePublishing]:
    """Publish what is asked for while the block runs, and keep the hosts of all sites as they are."""
    jobs, stores = PublishJobs(control), folders.site_stores

    def url(site: HostedSite) -> str:
        return origin.below(site.name)

    def forget() -> None:
        _forget(sites.sites, folders.data, stores)

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
    rehearsals = Rehearsals(jobs, folders, root=sites.opened.root, url=url, tell=tell)
    hosts = _HostsFile(sites.sites, origin, stores.shared())
    hosts.write()  # before readers are served, who would find no site
    chores = Chores(
        [
            [Chore("writing the hosts of sites", HOSTS, hosts.write)],
            [Chore("deleting releases and counts of sites that are gone", FORGET, forget)],
        ],
        lambda: True,
    )
    with closing(publisher), closing(rehearsals), closing(chores):
        publisher.start()
        chores.start()
        yield SitePublishing(jobs, SiteReleases(control, folders), publisher.nudge, rehearsals, url)


class _HostsFile:
    """The file of hosts, which is written where it says something else than the rows of sites."""

    def __init__(self, sites: HostedSites, origin: SitesOrigin, objects: ObjectStore) -> None:
        self._sites = sites
        self._domain = origin.address.host.lower()
        self._objects = objects
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
            write_hosts(self._objects, hosts)
            self._written = hosts


def _forget(sites: HostedSites, data: Path, stores: SiteStores) -> None:
    """Delete what was made for sites that are gone, and what was never finished. Raises StorageError."""
    # These first: one that is made after this belongs to a site that is known by then.
    folders, stored = list(_folders(data / WORK)), list(stores.ids())
    known = {site.id for site in sites.every()}
    ReaderCounts(data).forget(known)
    for path in folders:
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
    stores.shared().forget_unfinished(UNFINISHED)
    for id in stored:
        if id in known:
            stores.site(id).forget_unfinished(UNFINISHED)
        else:
            stores.delete(id)


def _folders(folder: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError):
        yield from (path for path in folder.iterdir() if path.is_dir())
