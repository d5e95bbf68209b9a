"""Previews of unpublished pages: their addresses, and answers to whoever has one.

The frame of the dashboard in which a preview stands has an origin that equals no other. What its pages load
of their own host counts as foreign there, so each answer may be read from anywhere. The name of the host is
the secret, and no cookie is ever of account.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from typing import NoReturn, TypeVar

import aiohttp
import msgspec
from aiohttp import hdrs, web
from msgspec import Struct
from msgspec.structs import replace

from server.control.preview_addresses import PreviewAddresses
from server.dashboard.previews import DraftResult, DraftText, PreviewFailed
from server.dashboard.service_address import ServiceAddress
from server.screenshots.camera import Camera
from server.screenshots.page_view import MOST_BYTES
from server.screenshots.shot import LoadedFile, Picture, Shot
from server.site_previews.limits import PreviewLimits
from server.site_previews.site_workers import SiteFolder, SiteWorker, SiteWorkers, WorkerLost
from server.site_previews.sites_origin import SitesOrigin
from server.site_previews.worker_order import BROKEN, DRAFT

_ASKED = ("Accept", "If-None-Match", "If-Range", "Range")
_ANSWERED = (
    "Accept-Ranges",
    "Content-Length",
    "Content-Location",
    "Content-Range",
    "Content-Type",
    "ETag",
    "Link",
    "Location",
    "Vary",
)
"""The headers that pass. No other does: no cookie in particular, in either direction."""
_PIECE = 64 * 1024
_COMMON = {
    "Cache-Control": "no-store",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<h1>{title}</h1>
<p>{says}</p>
</html>
"""

T = TypeVar("T")
Locate = Callable[[str], SiteFolder | None]
"""Tells where the site with this id lies; None for one that is not there."""


class SitePictures(Struct, frozen=True):
    """Takes pictures of unpublished pages of all sites: the browser gets them from here, and no network."""

    previews: SitePreviews
    camera: Camera

    def of(self, site: str) -> Callable[[Shot], Awaitable[Picture]]:
        """Return what takes pictures of one site's pages. It raises Failure."""
        return lambda shot: self.camera.picture(partial(self.previews.load, site), shot)


class SitePreviews:
    """The previews of all sites. `service` is where their dashboard is, `tell` is told of faults of ours."""

    def __init__(
        self,
        addresses: PreviewAddresses,
        origin: SitesOrigin,
        *,
        service: ServiceAddress,
        locate: Locate,
        tell: Callable[[str], None],
        limits: PreviewLimits | None = None,
    ) -> None:
        self._addresses = addresses
        self._origin = origin
        self._service = service.origin
        self._locate = locate
        self._tell = tell
        self.workers = SiteWorkers(limits or PreviewLimits(), tell)

    @property
    def frame_source(self) -> str:
        """The addresses of all previews, as `frame-src` of a Content-Security-Policy has them."""
        return self._origin.below("*")

    def address(self, session: str, site: str) -> str:
        """Return the address of the site's preview. Raises SessionEnded and SiteGone."""
        return self._origin.below(self._addresses.label(session, site))

    async def draft(self, session: str, site: str, draft: DraftText) -> DraftResult:
        """Render a page from a text that is not saved. Raises SessionEnded, SiteGone and PreviewFailed."""
        address, located = self.address(session, site), self._locate(site)
        if located is None:
            raise PreviewFailed(404, "This site has been deleted.")

        async def render(worker: SiteWorker) -> bytes:
            answer = await worker.ask("POST", f"/{DRAFT}", {}, msgspec.json.encode(draft))
            if answer.status != 200:
                await self._refuse(site, worker, answer)
            return await worker.whole(answer)

        found = msgspec.json.decode(await self._tried(site, located, render), type=DraftResult)
        return replace(found, address=f"{address}{found.address}") if found.address else found

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Show what a request on the origin of sites is for."""
        found = self._addresses.find(self._origin.label(request))
        site = self._locate(found.site) if found else None
        if found is None or site is None:
            return _ended(self._service)
        if request.method not in {hdrs.METH_GET, hdrs.METH_HEAD} or "Service-Worker" in request.headers:
            return self._refused()
        id = found.site
        try:
            return await self._tried(id, site, lambda worker: self._passed(request, id, worker))
        except PreviewFailed as error:
            return _failed(self._service, error)

    async def load(self, id: str, target: str) -> LoadedFile | None:
        """Return a file of a site as a browser gets it, None where there is none, or none can be shown."""
        site = self._locate(id)
        if site is None:
            return None

        async def read(worker: SiteWorker) -> LoadedFile:
            async with await worker.ask("GET", target, {}) as answer:
                body = await _bounded(answer)
                policy = answer.headers.get("Content-Security-Policy", "")
                return LoadedFile(body, answer.headers.get("Content-Type", ""), answer.status, policy)

        try:
            return await self._tried(id, site, read)
        except (PreviewFailed, aiohttp.ClientError):
            return None

    async def close(self) -> None:
        """End all processes."""
        await self.workers.close()

    async def _tried(self, id: str, site: SiteFolder, act: Callable[[SiteWorker], Awaitable[T]]) -> T:
        """Have the site's process do something; once more, where it was ended from outside meanwhile."""
        try:
            async with self.workers.of(id, site) as worker:
                return await act(worker)
        except WorkerLost:
            async with self.workers.of(id, site) as worker:
                return await act(worker)

    async def _passed(self, request: web.Request, site: str, worker: SiteWorker) -> web.StreamResponse:
        """Have the worker answer, and pass on what may pass."""
        sent = {name: ", ".join(request.headers.getall(name)) for name in _ASKED if name in request.headers}
        async with await worker.ask(request.method, request.rel_url.raw_path_qs, sent) as answer:
            if answer.status >= 500:
                await self._refuse(site, worker, answer)
            passed = {name: answer.headers[name] for name in _ANSWERED if name in answer.headers}
            own = _headers(self._service, answer.headers.get("Content-Security-Policy", ""))
            response = web.StreamResponse(status=answer.status, headers={**passed, **own})
            await response.prepare(request)
            with suppress(ConnectionError):  # players and browsers leave as soon as they have enough
                await _copy(answer, response)
        return response

    async def _refuse(self, site: str, worker: SiteWorker, answer: aiohttp.ClientResponse) -> NoReturn:
        """Raise PreviewFailed with what the process says; one that can show nothing any more is ended."""
        text = (await worker.whole(answer)).decode(errors="replace").strip()
        says = f"{text[:1].upper()}{text[1:]}"
        if BROKEN in answer.headers:
            self._tell(f"The preview of the site {site} failed: {says}")
            self.workers.end(site, worker)
        raise PreviewFailed(answer.status, says)

    def _refused(self) -> web.Response:
        allowed = {"Allow": "GET, HEAD"}
        return web.Response(status=405, headers={**_headers(self._service), **allowed})


async def _bounded(answer: aiohttp.ClientResponse) -> bytes:
    """Return the body, of one that is too large only so much that this is seen."""
    body = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        body += piece
        if len(body) > MOST_BYTES:
            answer.close()
            break
    return bytes(body)


async def _copy(answer: aiohttp.ClientResponse, response: web.StreamResponse) -> None:
    """Pass the body on; where it breaks off, the connection ends before the announced length, as it must."""
    try:
        async for piece in answer.content.iter_chunked(_PIECE):
            await response.write(piece)
    except aiohttp.ClientError:
        response.force_close()


def _headers(service: str, policy: str = "") -> dict[str, str]:
    """Return the headers of every answer, with the `policy` that it has by itself.

    Pages have one in their HTML; that alone cannot say who may show them in a frame, which is the service.
    """
    framed = f"frame-ancestors {service}"
    return {**_COMMON, "Content-Security-Policy": f"{policy}; {framed}" if policy else framed}


def _ended(service: str) -> web.Response:
    """The answer to every name that is none of a preview, or not any more."""
    return _page(404, "This preview has ended", "Open it again from the dashboard.", service)


def _failed(service: str, error: PreviewFailed) -> web.Response:
    """The answer where nothing can be shown now."""
    more = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    return _page(error.status, "This preview cannot be shown", error.says, service, more)


def _page(
    status: int, title: str, says: str, service: str, more: Mapping[str, str] | None = None
) -> web.Response:
    return web.Response(
        status=status,
        text=_PAGE.format(title=escape(title), says=escape(says)),
        content_type="text/html",
        headers={**_headers(service, _POLICY), **(more or {})},
    )
