"""The authoring API: of a site on this machine, and of all sites of a service.

The first has its keys beside it, and its files as they are. On the one origin of a service, the key alone
says which site is meant.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web
from msgspec import Struct

from builder.site import Plan
from server.api.authentication import Api, Handler
from server.api.guard import Allowed, Gate, Visit
from server.authoring.authenticate_site import KEY, SiteAuthentication
from server.authoring.calls import Changing, TakePicture
from server.authoring.group import GROUP
from server.authoring.handlers import CHANGING, OWNERS_PREVIEW, PICTURES, PUBLISHED
from server.authoring.mcp_tools import MCP, MCP_PATH
from server.authoring.open_site import open_site
from server.authoring.site_key_limits import ClientLimits
from server.authoring.site_view import UNPUBLISHED, Published
from server.control.audit import Action
from server.control.keys.key_record import KeyRecord
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
    """Everything that a web application needs to answer for one site.

    `begin_history` has the site brought into its history, which takes a while and processors.
    """

    site: LocalSite
    authentication: SiteAuthentication
    handlers: Mapping[str, Handler]
    around: ServerContext
    begin_history: Callable[[], None]

    @property
    def gate(self) -> Gate:
        """The way in, to this API alone."""
        around = self.around
        api = Api(GROUP, self.authentication, self.handlers, {MCP_PATH: self.handlers[MCP]})
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
            yield LocalApi(site, authentication, opened.by_operation, around, opened.history.begin)


CHANGES: Mapping[str, Action] = {
    "put": "page.write",
    "delete": "page.delete",
    "category": "page.category",
    "changes": "page.change",
    "edit": "page.write",
    "move": "page.move",
    "redirects_put": "site.redirects",
    "navigation_put": "site.navigation",
    "category_delete": "page.category",
    "undo": "page.undo",
}
"""Operations that change a site, as the activity of its owner has them."""


PublishedOf = Callable[[str], Published]
"""Gives what readers have of the site with this id; it may wait for the disk."""


PicturesOf = Callable[[str], TakePicture]
"""Gives what takes pictures of the pages of the site with this id."""


PreviewRootOf = Callable[[str], str]
"""Gives the address below which the owner of the site with this id sees its pages; "" when it is gone."""


class HostedHandlers(Struct, frozen=True):
    """The handlers of whichever site a request's key is of."""

    work: SiteWork
    published: PublishedOf
    pictures: PicturesOf | None = None
    preview_root: PreviewRootOf | None = None

    def of(self, operation: str) -> Handler:
        """The handler of one operation of the table."""

        async def answer(request: web.Request) -> web.StreamResponse:
            # The key was looked up a moment ago, and with it all that is needed of the site.
            key = request[KEY]
            request[PUBLISHED] = lambda: self.published(key.site)
            if self.pictures is not None:
                request[PICTURES] = self.pictures(key.site)
            if self.preview_root is not None:
                root: Callable[[], str] = partial(self.preview_root, key.site)
                request[OWNERS_PREVIEW] = root
            changing: Changing = partial(self._noted, key)
            request[CHANGING] = changing
            async with self.work.opened.use(key.site, key.plan) as found:
                return await found.by_operation[operation](request)

        return answer

    @asynccontextmanager
    async def _noted(self, key: KeyRecord, operation: str) -> AsyncIterator[None]:
        """Note a change of the site, beforehand too where it is to be published by itself.

        A write that ends in another way than with an answer or a refusal may stand: its note stays.
        """
        choices = self.work.choices
        # Looked up at once, as the key was: the way to a thread and back costs a busy machine milliseconds.
        publishes = choices.of(key.site).publishes(key.kind)
        begin = partial(choices.begin_write, key.site, key.id, key.kind)
        begun = await self.work.do(begin) if publishes else None
        try:
            yield
        except Failure:
            if begun:
                await self.work.do(lambda: choices.forget_write(begun))
            raise
        if begun:
            await self.work.do(lambda: choices.end_write(begun, key.site, key.id, key.kind))
        self.work.key_writes.note(key.id, key.site, CHANGES[operation])


def hosted_api(
    work: SiteWork,
    limits: ClientLimits,
    rate: RateLimit,
    published: PublishedOf = lambda _: UNPUBLISHED,
    pictures: PicturesOf | None = None,
    *,
    preview_root: PreviewRootOf | None = None,
) -> Api:
    """The API, for all sites whose keys are in the service's database; `rate` counts their requests."""
    authentication = SiteAuthentication(work.keys, None, limits, rate)
    handlers = HostedHandlers(work, published, pictures, preview_root)
    operations = (endpoint.operation for endpoint in GROUP.endpoints)
    by_name = {name: handlers.of(name) for name in operations}
    return Api(GROUP, authentication, by_name, {MCP_PATH: handlers.of(MCP)})
