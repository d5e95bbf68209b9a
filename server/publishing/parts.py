"""Parts that whatever builds sites for publishing shares: jobs, folders, and the sites themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from server.control.hosted_sites import HostedSite
from server.control.publish_jobs import PublishJobs
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import RELEASES, FolderSites, SiteStores

WORK = "publishing"
"""The folder in the data folder of what is made on the way; each site has one in it."""


class PublishedFolders(Struct, frozen=True):
    """The places of published sites: in the service's data folder, releases also in `stores` elsewhere."""

    data: Path
    stores: SiteStores | None = None

    def releases(self, site: str) -> ReleaseStore:
        """Return the releases of the site with this id."""
        return ReleaseStore(self.site_stores.site(site))

    @property
    def site_stores(self) -> SiteStores:
        """The stores of all sites."""
        return self.stores or FolderSites(self.data / RELEASES)

    def work(self, site: str) -> Path:
        """Return the folder in which the site with this id is built."""
        return self.data / WORK / site


class PublishingParts(Struct, frozen=True):
    """The jobs of all sites, and their folders: `root` gives that of a site's files.

    `url` gives the address at which readers have a site; `tell` is told of faults of ours. With `analytics`
    pages have the scripts of the statistics that their site names.
    """

    jobs: PublishJobs
    folders: PublishedFolders
    root: Callable[[str], Path]
    url: Callable[[HostedSite], str]
    tell: Callable[[str], None]
    analytics: bool = False
