"""The authoring API: of a site on this machine, and of all sites of a service.

The first has its keys beside it, and its files as they are. On the one origin of a service, the key alone
says which site is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web
from msgspec import Struct

from builder.site import Plan
from server.api.authentication import Api, Handler
from server.api.guard import Allowed, Gate, Visit
from server.api.request import flag
from server.authoring.authenticate_site import KEY, SiteAuthentication
from server.authoring.group import GROUP
from server.authoring.handlers import PUBLISHED, Handlers
from server.authoring.open_site import open_site
from server.authoring.service import UNPUBLISHED, Published
from server.authoring.site_key_limits import ClientLimits
from server.control.audit import Action
from server.control.keys.site_keys import SiteKeys
from server.control.sites import LocalSite
from server.control.sqlite.local_database import local_database
from server.http.failure import Failure
from server.http.limits import RateLimit
from server.http.logged_request import Log

if TYPE_CHECKING:  # a site on this machine does without what a service has
    from server.authoring.site_work import SiteWork


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
    root: Path,
    around: ServerContext,
    *,
    plan: Plan | None = None,
    limits: ClientLimits,
    safe: bool = False,
    include_roots: tuple[str, ...] = (),
) -> Iterator[LocalApi]:
    """The API of the site in `root`. Raises DatabaseError when there is no room for keys beside it.

    What it changes is kept in the site's history. Of a `safe` site, no key counts that is there already,
    and nothing is included from `include_roots`.
    """
    with closing(local_database(root)) as database, closing(SiteKeys(database)) as keys:
        site = LocalSite(database)
        roots = () if safe else include_roots
        with open_site(root, site, limits, around.changed, plan=plan, include_roots=roots) as opened:
            brought = frozenset(key.id for key in keys.list(site.id)) if safe else frozenset()
            authentication = SiteAuthentication(keys, site, limits, RateLimit(), brought=brought)
            yield LocalApi(site, authentication, opened.handlers, around)


CHANGES: Mapping[str, Action] = {
    "put": "page.write",
    "delete": "page.delete",
    "category": "page.category",
}
"""Operations that change a site, as the activity of its owner has them."""


PublishedOf = Callable[[str], Published]
"""Gives what readers have of the site with this id; it may wait for the disk."""


class HostedHandlers(Struct, frozen=True):
    """The handlers of whichever site a request's key is of."""

    work: SiteWork
    published: PublishedOf

    def of(self, operation: str) -> Handler:
        """The handler of one operation of the table."""
        return self._change(operation) if operation in CHANGES else self._read(operation)

    def _read(self, operation: str) -> Handler:
        opened = self.work.opened

        async def answer(request: web.Request) -> web.StreamResponse:
            # The key was looked up a moment ago, and with it all that is needed of the site.
            key = request[KEY]
            request[PUBLISHED] = lambda: self.published(key.site)
            async with opened.use(key.site, key.plan) as found:
                return await found.by_operation[operation](request)

        return answer

    def _change(self, operation: str) -> Handler:
        async def answer(request: web.Request) -> web.StreamResponse:
            if operation == "put" and flag(request, "dry_run"):
                return await self._answered(request, operation)
            key = request[KEY]
            answered = await self._noted(request, operation)
            self.work.key_writes.note(key.id, key.site, CHANGES[operation])
            return answered

        return answer

    async def _answered(self, request: web.Request, operation: str) -> web.StreamResponse:
        key = request[KEY]
        async with self.work.opened.use(key.site, key.plan) as found:
            return await found.by_operation[operation](request)

    async def _noted(self, request: web.Request, operation: str) -> web.StreamResponse:
        """Answer a request that changes the site, which is noted where it is to be published by itself.

        A write that ends in another way than with an answer or a refusal may stand: its note stays.
        """
        key, choices = request[KEY], self.work.choices
        # Looked up at once, as the key was: the way to a thread and back costs a busy machine milliseconds.
        if not choices.of(key.site).publishes(key.kind):
            return await self._answered(request, operation)
        begun = await self.work.do(lambda: choices.begin_write(key.site, key.id, key.kind))
        try:
            answered = await self._answered(request, operation)
        except Failure:
            if begun:
                await self.work.do(lambda: choices.forget_write(begun))
            raise
        if begun:
            await self.work.do(lambda: choices.end_write(begun, key.site, key.id, key.kind))
        return answered


def hosted_api(
    work: SiteWork, limits: ClientLimits, rate: RateLimit, published: PublishedOf = lambda _: UNPUBLISHED
) -> Api:
    """The API, for all sites whose keys are in the service's database; `rate` counts their requests."""
    authentication = SiteAuthentication(work.keys, None, limits, rate)
    handlers = HostedHandlers(work, published)
    operations = (endpoint.operation for endpoint in GROUP.endpoints)
    return Api(GROUP, authentication, {name: handlers.of(name) for name in operations})
