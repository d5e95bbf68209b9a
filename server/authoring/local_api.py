"""The API of a site on this machine: its keys beside it, its files as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from builder.site import Plan
from server.api.authentication import Api
from server.api.guard import Allowed, Gate, Visit
from server.authoring.authenticate_site import SiteAuthentication
from server.authoring.group import GROUP
from server.authoring.handlers import Handlers
from server.authoring.open_site import open_site
from server.authoring.site_key_limits import ClientLimits
from server.control.keys.site_keys import SiteKeys
from server.control.sites import LocalSite
from server.control.sqlite.local_database import local_database
from server.http.limits import RateLimit
from server.http.logged_request import Log


class ServerContext(Struct, frozen=True):
    """The server around the API, as the API sees it.

    `allowed` says whether it answers to the host of a request; `changed` is told of each changed page or
    folder, `log` of each request, `tell` of faults of ours and `visit` of each request without a good key.
    """

    allowed: Allowed
    changed: Callable[[str], None]
    log: Log
    tell: Callable[[str], None]
    visit: Visit


class LocalApi(Struct, frozen=True):
    """Everything that a web application needs to answer for one site."""

    site: LocalSite
    authentication: SiteAuthentication
    handlers: Handlers
    around: ServerContext

    @property
    def gate(self) -> Gate:
        """The way in, to this API alone."""
        around, api = self.around, Api(GROUP, self.authentication, self.handlers.by_operation())
        return Gate((api,), around.allowed, around.log, around.tell, visit=around.visit)


@contextmanager
def local_api(
    root: Path, around: ServerContext, *, plan: Plan | None = None, limits: ClientLimits, safe: bool = False
) -> Iterator[LocalApi]:
    """The API of the site in `root`. Raises DatabaseError when there is no room for keys beside it.

    What it changes is kept in the site's history. Of a `safe` site, no key counts that is there already.
    """
    with closing(local_database(root)) as database, closing(SiteKeys(database)) as keys:
        site = LocalSite(database)
        with open_site(root, site, limits, around.changed, plan=plan) as opened:
            brought = frozenset(key.id for key in keys.list(site.id)) if safe else frozenset()
            authentication = SiteAuthentication(keys, site, limits, RateLimit(), brought=brought)
            yield LocalApi(site, authentication, opened.handlers, around)
