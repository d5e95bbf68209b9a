"""Answers to requests for a site's pages and files, as a static host would give them.

A page comes as HTML, or as its markdown twin to those who prefer it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import BinaryIO, Protocol

from aiohttp import hdrs, web

from builder.errors import StorageError, ThemeError
from builder.plan.patterns import exact_in_rules, first, in_rules
from builder.preview import Later, turns_out
from server.http import accept
from server.preview import sending
from server.preview.snapshot import Snapshot
from server.site_files import mime, page_form
from server.site_files.routing import Answer, Moved, Route, answer, former, with_query

RULES = "_redirects"
GONE = (FileNotFoundError, StorageError)
"""What the store says of a file that is not there any more, or is something else now."""


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
        place = await self._place(request, snapshot)
        if place is None:
            return await self._missing(request, snapshot, page_form.NOTHING)
        if isinstance(place, Route):
            return await self._found(request, snapshot, place)
        raise _moved(place, request)

    async def has(self, request: web.Request, snapshot: Snapshot) -> bool:
        """Return whether there is something at the address that is asked for, or leads on from there."""
        place = await self._place(request, snapshot)
        return place is not None and not (isinstance(place, Route) and place.status == 404)

    async def _place(self, request: web.Request, snapshot: Snapshot) -> Answer | None:
        place = answer(request.path, snapshot.paths, snapshot.base)
        if place is None or (isinstance(place, Route) and place.status == 404):
            moved = former(request.path, snapshot.paths, self._site.bases)
            found = moved or await self._turned_out(request, snapshot)
            place = found or await self._many(request, snapshot) or place
        return place

    async def _found(self, request: web.Request, snapshot: Snapshot, place: Route) -> web.StreamResponse:
        if place.status == 404 and _markdown_wanted(request):
            return await self._missing(request, snapshot, page_form.NOTHING)
        form = page_form.form(
            place, snapshot.output.written, snapshot.base, lambda: _markdown_wanted(request)
        )
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
        wanted = _markdown_wanted(request)
        told = page_form.in_place(says, snapshot.output.written, snapshot.base, markdown=wanted)
        return await sending.send(request, sending.of_bytes(told.text.encode(), told.type), 404, told.headers)

    async def _turned_out(self, request: web.Request, snapshot: Snapshot) -> Route | None:
        """A file of the search, or a part of the whole text, which is not known before it is made."""
        output = request.path.removeprefix(f"{snapshot.base}/")
        if not turns_out(output):
            return None
        try:
            await self.content(snapshot, output)
        except GONE:
            return None
        return Route(output)

    async def _many(self, request: web.Request, snapshot: Snapshot) -> Moved | None:
        """A redirect for many addresses, or for one that has no page."""
        if RULES not in snapshot.paths or RULES in snapshot.output.copied:
            return None
        data = await asyncio.wrap_future(snapshot.output.ask(RULES))
        rules, asked = data.decode() if isinstance(data, bytes) else "", request.path.rstrip("/")
        exact = next((new for old, new in exact_in_rules(rules) if old == asked), None)
        target = exact or first(in_rules(rules), request.path)
        return Moved(target, 301) if target is not None else None

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


def _moved(place: Moved, request: web.Request) -> web.HTTPException:
    """The answer that leads on; a browser asks again, as its author may change a redirect at any time."""
    location = with_query(place.location, request.rel_url.raw_query_string)
    kind = web.HTTPMovedPermanently if place.status == 301 else web.HTTPPermanentRedirect
    return kind(location, headers={hdrs.CACHE_CONTROL: "no-cache"})


def _markdown_wanted(request: web.Request) -> bool:
    """Return whether the client would rather have markdown than HTML."""
    return accept.prefers_markdown(request.headers.getall(hdrs.ACCEPT, []), accept.HTML)
