"""Answers to requests for a site's pages and files, as a static host would give them.

A page comes as HTML, or as its markdown twin to those who prefer it. Both are at the page's own address, so
every such answer says that it depends on `Accept`. Nobody is refused: who prefers nothing that there is gets
HTML.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import BinaryIO, Protocol
from urllib.parse import quote

from aiohttp import hdrs, web
from msgspec import Struct, field

from builder.errors import StorageError, ThemeError
from builder.preview import SEARCH_FOLDER, Later
from server.http import accept
from server.preview import mime, sending
from server.preview.routing import Route, answer, former
from server.preview.snapshot import Snapshot

GONE = (FileNotFoundError, StorageError)
"""What the store says of a file that is not there any more, or is something else now."""
_NOTHING = "There is no page at this address."
_INDEX = "llms.txt"
_HTML, _TWIN = ".html", ".md"
_VARY: dict[str, str] = {hdrs.VARY: hdrs.ACCEPT}


class ShownSite(Protocol):
    """A site that is shown: the base paths that it has had, the present one last, and whether that ends."""

    bases: list[str]
    closed: bool


class SiteAnswers:
    """Answers from snapshots of `site`, whose copied files `open_file` opens."""

    def __init__(self, site: ShownSite, open_file: Callable[[str], BinaryIO]) -> None:
        self._site = site
        self._open_file = open_file

    async def page(self, request: web.Request, snapshot: Snapshot) -> web.StreamResponse:
        """A page or file of the site, or what stands in its place."""
        place = answer(request.path, snapshot.paths, snapshot.base)
        if place is None or (isinstance(place, Route) and place.status == 404):
            moved = former(request.path, snapshot.paths, self._site.bases)
            place = moved or await self._shard(request, snapshot) or place
        if place is None:
            return await self._missing(request, snapshot, _NOTHING)
        if isinstance(place, Route):
            return await self._found(request, snapshot, place)
        query = f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""
        raise web.HTTPPermanentRedirect(place.location + query)

    async def _found(self, request: web.Request, snapshot: Snapshot, place: Route) -> web.StreamResponse:
        if place.status == 404 and _markdown_wanted(request):
            return await self._missing(request, snapshot, _NOTHING)
        form = _form(request, place, snapshot)
        try:
            body = await self.content(snapshot, form.output)
        except GONE:
            says = "The file was there at the last build, but is gone."
            return await self._missing(request, snapshot, says)
        except ThemeError as error:
            return await self._missing(request, snapshot, f"{error.path}: {error.message}")
        headers = form.headers
        if form.output in snapshot.output.copied:
            headers = {**headers, **snapshot.confinement.headers(form.output)}
            body = snapshot.confinement.content(body, form.output)
        return await sending.send(request, body, place.status, headers)

    async def _missing(self, request: web.Request, snapshot: Snapshot, says: str) -> web.StreamResponse:
        """An answer of ours where the site's own not-found page does not serve."""
        body, headers = _in_place(request, snapshot, says)
        return await sending.send(request, body, 404, headers)

    async def _shard(self, request: web.Request, snapshot: Snapshot) -> Route | None:
        """A file of the search, which is not known before it is made."""
        output = request.path.removeprefix(f"{snapshot.base}/")
        if not output.startswith(SEARCH_FOLDER):
            return None
        try:
            await self.content(snapshot, output)
        except GONE:
            return None
        return Route(output)

    async def content(self, snapshot: Snapshot, output: str) -> sending.Content:
        """Return the content at an output path of the snapshot; raises one of GONE when it is gone."""
        kind = mime.content_type(output)
        file = snapshot.output.copied.get(output)
        if file is not None:
            return await asyncio.to_thread(sending.of_file, lambda: self._open_file(file), kind)
        data = await asyncio.wrap_future(snapshot.output.ask(output))
        if isinstance(data, Later):
            data = (await asyncio.to_thread(data.files)).get(output)
        if data is None and self._site.closed:
            raise stopping()
        if data is None:
            raise FileNotFoundError(output)
        return sending.of_bytes(data, kind)


def stopping() -> web.HTTPServiceUnavailable:
    """The answer to who still asks while everything ends."""
    return web.HTTPServiceUnavailable(text="The preview is stopping.\n")


class _Form(Struct, frozen=True):
    """The output path to answer with, and the headers that go with it."""

    output: str
    headers: dict[str, str] = field(default_factory=dict)


def _markdown_wanted(request: web.Request) -> bool:
    """Return whether the client would rather have markdown than HTML."""
    return accept.prefers_markdown(request.headers.getall(hdrs.ACCEPT, []), accept.HTML)


def _form(request: web.Request, found: Route, snapshot: Snapshot) -> _Form:
    """The form of what was found. Files of authors have but one, and so has a page without a twin."""
    output, written = found.output, snapshot.output.written
    twin = output.removesuffix(_HTML) + _TWIN
    if found.status == 404:
        return _Form(output, {**_links(_index(snapshot)), **_VARY})
    if not output.endswith(_HTML) or output not in written:
        return _Form(output)
    if twin not in written:
        return _Form(output, _links(_index(snapshot)))
    place = _address(twin, snapshot)
    if _markdown_wanted(request):
        return _Form(twin, {**_links(_index(snapshot)), **_VARY, hdrs.CONTENT_LOCATION: place})
    alternate = f'<{place}>; rel="alternate"; type="{accept.MARKDOWN}"'
    return _Form(output, {**_links(alternate, _index(snapshot)), **_VARY})


def _in_place(request: web.Request, snapshot: Snapshot, says: str) -> tuple[sending.Content, dict[str, str]]:
    """Return what it `says` in place of the site's not-found page, as markdown or plain text, and headers.

    Nothing of the address is repeated: anybody may have made it up for an agent to read.
    """
    headers = {**_links(_index(snapshot)), **_VARY}
    if not _markdown_wanted(request):
        return sending.of_bytes(f"{says}\n".encode(), mime.content_type(".txt")), headers
    way = f"\n- [All pages]({_address(_INDEX, snapshot)})\n" if _index(snapshot) else ""
    return sending.of_bytes(f"# Page not found\n\n{says}\n{way}".encode(), mime.content_type(_TWIN)), headers


def _index(snapshot: Snapshot) -> str:
    """The link to the list of all pages, or "" when there is none."""
    if _INDEX not in snapshot.output.written:
        return ""
    return f'<{_address(_INDEX, snapshot)}>; rel="describedby"; type="text/plain"'


def _links(*links: str) -> dict[str, str]:
    value = ", ".join(filter(None, links))
    return {hdrs.LINK: value} if value else {}


def _address(output: str, snapshot: Snapshot) -> str:
    return quote(f"{snapshot.base}/{output}")
