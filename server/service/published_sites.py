"""Published sites in the service: what publishes them, their hosts, and what is deleted with them."""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from builder.errors import TwinpressError
from server.authoring.site_view import UNPUBLISHED, Published
from server.authoring.site_work import SiteWork
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.notices.deliveries import Notices
from server.control.publish_jobs import PublishJobs
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import chosen
from server.dashboard.site_publishing import SiteDomains, SitePublishing
from server.domains.domain import SiteHosts
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules
from server.domains.domain_verdicts import DomainVerdicts
from server.domains.domain_watch import DomainWatch
from server.hosting.threads import Chore, Chores
from server.publishing.parts import WORK, PublishedFolders, PublishingParts
from server.publishing.publisher import Publisher
from server.publishing.rehearsals import Rehearsals
from server.publishing.site_releases import SiteReleases
from server.readers.reader_counts import ReaderCounts
from server.releases.hosts import HOSTS as HOSTS_FILE
from server.releases.hosts import Hosts, MountedHost, write_hosts
from server.releases.site_stores import SiteStores
from server.service.host_settings import HostSettings

UNFINISHED = 24 * 3600.0
"""Seconds after which nobody writes to a file any more that is not whole: its process was killed."""
HOSTS, FORGET = 0.5, 600.0
"""Seconds between two looks: whether sites have other hosts, and for files of sites that are gone."""
_SEEN = 0.2
"""Seconds in which a new file is read, beside those between two looks, where nobody here can be asked."""
_PATIENCE, _STEP = 5.0, 0.01
"""Seconds for which the process for readers is asked whether it knows a host, and between two questions."""
TRUSTED = 10.0
"""Seconds for which the file of hosts is taken to be there still."""
LATE = 10.0
"""Seconds between two looks for writes by keys whose process was killed."""
DOMAINS = 0.5
"""Seconds between two looks for domains whose records are to be looked at."""


def service_id(control: ControlDatabase) -> str:
    """Return the id of the service, which is chosen once: a bucket of releases belongs to one."""
    return chosen(control, "service", lambda: secrets.token_hex(16))


@contextmanager
def published_sites(
    settings: HostSettings,
    folders: PublishedFolders,
    control: ControlDatabase,
    sites: SiteWork,
    tell: Callable[[str], None],
) -> Iterator[SitePublishing]:
    """Publish what is asked for while the block runs, and keep the hosts of all sites as they are."""
    jobs, stores, origin = PublishJobs(control), folders.site_stores, settings.sites
    target = origin.address.host.lower()
    claims = DomainClaims(control, DomainRules((settings.address.host, target)), plans=settings.plans)
    verdicts = DomainVerdicts(control)
    watch = DomainWatch(verdicts, settings.dns, target, tell)

    def own_url(site: HostedSite) -> str:
        return origin.below(site.name)

    def url(site: HostedSite) -> str:
        main = claims.of_site(site.id).main
        return origin.at(main) if main else own_url(site)

    parts = PublishingParts(jobs, folders, sites.opened.root, url, tell, settings.analytics)
    publisher = Publisher(parts, sites.sites, choices=sites.choices.of, notify=Notices(control).notify)
    rehearsals = Rehearsals(parts)
    hosts = _HostsFile(
        sites.sites, claims, target, stores, readers=(settings.host, settings.ports[1]), tell=tell
    )
    hosts.write()  # before readers are served, who would find no site
    chores = Chores(_chores(sites, folders, hosts, verdicts, watch), lambda: True)
    domains = SiteDomains(claims, target, lambda: watch.addresses)
    with closing(publisher), closing(rehearsals), closing(watch), closing(chores):
        publisher.start()
        chores.start()
        released = SiteReleases(control, folders)
        yield SitePublishing(
            jobs, released, publisher.nudge, rehearsals, url, own_url, origin.at, domains, hosts.write_through
        )


def _chores(
    sites: SiteWork,
    folders: PublishedFolders,
    hosts: _HostsFile,
    verdicts: DomainVerdicts,
    watch: DomainWatch,
) -> Sequence[Sequence[Chore]]:
    """Return what is done regularly for published sites; each group has a thread of its own."""

    def forget() -> None:
        _forget(sites.sites, folders.data, folders.site_stores)

    return (
        (Chore("writing the hosts of sites", HOSTS, hosts.write),),
        (
            Chore("deleting releases and counts of sites that are gone", FORGET, forget),
            Chore("forgetting domains of nobody", FORGET, verdicts.forget_unclaimed),
        ),
        (Chore("noting writes to be published", LATE, sites.choices.end_old_writes),),
        (Chore("looking at domains", DOMAINS, watch.run),),
        (Chore("looking at the addresses of sites", DOMAINS, watch.renew_addresses),),
    )


def published_to_readers(publishing: SitePublishing, sites: HostedSites, id: str) -> Published:
    """Return what readers have of a site; nothing where its release cannot be read. Raises DatabaseError."""
    site = sites.get(id)
    state = publishing.state(site)
    return Published(state.live.created_at, state.url) if state.live else UNPUBLISHED


class _HostsFile:
    """The file of hosts, which is written where it says something else than the rows of sites."""

    def __init__(
        self,
        sites: HostedSites,
        claims: DomainClaims,
        domain: str,
        stores: SiteStores,
        *,
        readers: tuple[str, int],
        tell: Callable[[str], None],
    ) -> None:
        self._sites = sites
        self._claims = claims
        self._domain = domain
        self._objects = stores.shared()
        self._look = stores.look
        self._readers = readers
        self._tell = tell
        self._lock = threading.Lock()
        self._written: Hosts | None = None
        self._trusted_until = 0.0

    def write(self) -> None:
        """Write it, if need be. Raises DatabaseError and StorageError."""
        with self._lock:
            self._write()

    def write_through(self, site: HostedSite) -> None:
        """Write it, and wait until readers find a site at its name; a file that cannot be written is told."""
        try:
            self.write()
        except TwinpressError as error:
            self._tell(f"Readers have sites at their former names for now: {error}")
        else:
            self._wait_for(f"{site.name}.{self._domain}")

    def _wait_for(self, host: str) -> None:
        """Wait until the process for readers knows a host, if it is at our port, else until it must."""
        must = time.monotonic() + _PATIENCE
        try:
            while not _knows(self._readers, host) and time.monotonic() < must:
                time.sleep(_STEP)
        except (OSError, HTTPException):
            time.sleep(self._look + _SEEN)

    def _write(self) -> None:
        mounted = self._claims.hosts()
        found = dict[str, MountedHost]()
        for site in self._sites.every():
            if site.delete_at is None:
                found |= _hosts_of(site, self._domain, mounted.get(site.id, SiteHosts()))
        hosts = Hosts(self._domain, found)
        if hosts != self._written or not self._is_there():
            write_hosts(self._objects, hosts)
            self._written = hosts

    def _is_there(self) -> bool:
        """Return whether the file is there, which somebody may have deleted; asked for now and then."""
        now = time.monotonic()
        if now < self._trusted_until:
            return True
        self._trusted_until = now + TRUSTED
        return self._objects.has(HOSTS_FILE)


def _knows(readers: tuple[str, int], host: str) -> bool:
    """Ask the process for readers, as a browser that wants a service worker: no site is read for that.

    Raises OSError and HTTPException where it is not at this address.
    """
    connection = HTTPConnection(*readers, timeout=_PATIENCE)
    try:
        connection.request("GET", "/", headers={"Host": host, "Service-Worker": "script"})
        return connection.getresponse().status == HTTPStatus.FORBIDDEN
    finally:
        connection.close()


def _hosts_of(site: HostedSite, domain: str, hosts: SiteHosts) -> dict[str, MountedHost]:
    """Return all hosts of a site: its own one, and its domains. Without a main host none leads elsewhere."""
    leading, main = {f"{site.name}.{domain}": hosts.leads, **hosts.domains}, hosts.main
    return {
        name: MountedHost(site.id, main if leads and name != main else "") for name, leads in leading.items()
    }


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
