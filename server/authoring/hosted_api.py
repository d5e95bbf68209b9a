"""The authoring API of all sites of a service, on one origin: the key alone says which site is meant."""

from __future__ import annotations

from aiohttp import web
from msgspec import Struct

from server.api.authentication import Api, Handler
from server.authoring.authenticate_site import KEY, SiteAuthentication
from server.authoring.group import GROUP
from server.authoring.site_key_limits import ClientLimits
from server.authoring.site_work import SiteWork
from server.http.limits import RateLimit


class HostedHandlers(Struct, frozen=True):
    """The handlers of whichever site a request's key is of."""

    work: SiteWork

    def of(self, operation: str) -> Handler:
        """The handler of one operation of the table."""

        async def answer(request: web.Request) -> web.StreamResponse:
            # The key was looked up a moment ago, and with it all that is needed of the site.
            key = request[KEY]
            async with self.work.opened.use(key.site, key.plan) as found:
                return await found.handlers.by_operation()[operation](request)

        return answer


def hosted_api(work: SiteWork, limits: ClientLimits, rate: RateLimit) -> Api:
    """The API, for all sites whose keys are in the service's database; `rate` counts their requests."""
    authentication = SiteAuthentication(work.keys, None, limits, rate)
    handlers = HostedHandlers(work)
    operations = (endpoint.operation for endpoint in GROUP.endpoints)
    return Api(GROUP, authentication, {name: handlers.of(name) for name in operations})
