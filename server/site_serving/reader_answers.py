"""Answers from the live release of a site: pages, twins, files, redirects, and its not-found page."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from aiohttp import hdrs, web

from server.releases.live_pointer import HASHED
from server.releases.release import ReleasedFile
from server.site_files import page_form, routing
from server.site_files.routing import Moved, Route
from server.site_serving import plain_answers, request_headers
from server.site_serving.file_answers import FoundFile, answer
from server.site_serving.file_headers import AskedFile, FileForm, file_form
from server.site_serving.live_site import LiveSite
from server.site_serving.object_memory import ObjectMemory
from server.site_serving.raw_answer import RawAnswer, encoded

_OWN = "/_tp/"
_MOST_HEADS = 5_000
"""Forms of files whose headers are kept for one state of a site: some 7 MB."""


class ReaderAnswers:
    """Answers for all sites, from objects in `memory`."""

    def __init__(self, memory: ObjectMemory) -> None:
        self._memory = memory

    async def answer(self, request: web.BaseRequest, site: LiveSite) -> RawAnswer:
        """Answer one request. Raises DamagedRelease, DamagedObject and StorageError."""
        if not site.pointer.live:
            return plain_answers.missing()
        place = routing.answer(request.path, site.files, "")
        if isinstance(place, Moved):
            return plain_answers.moved(308, _with_query(place.location, request))
        if place is None or place.status == 404:
            return await self._not_found(request, site, place)
        target = site.redirects.get(place.output)
        if target is not None:
            return plain_answers.moved(301, _with_query(target, request))
        return await self._page(request, site, place)

    async def _not_found(self, request: web.BaseRequest, site: LiveSite, place: Route | None) -> RawAnswer:
        if request.path.startswith(_OWN):
            return await self._former(request, site)
        if _markdown_wanted(request) or place is None:
            return _told(request, site)
        return await self._page(request, site, place)

    async def _former(self, request: web.BaseRequest, site: LiveSite) -> RawAnswer:
        """A style or script of a former release: a reader may have a page of it open."""
        output = request.path[1:]
        found = None
        if HASHED.fullmatch(output):
            found = await asyncio.to_thread(site.find_former, output)
        if found is None:
            return plain_answers.missing()
        packed = await self._memory.read(site.store, found.digest)
        wanted = _wanted(request, site, output, found, {}, indexed=False)
        return answer(request, 200, FoundFile(site.store, file_form(wanted, packed), packed))

    async def _page(self, request: web.BaseRequest, site: LiveSite, place: Route) -> RawAnswer:
        values = request.headers.getall(hdrs.ACCEPT, ())
        markdown = bool(values) and request_headers.prefers_markdown(values)
        key = (place.output, markdown, _codings(request))
        known: FileForm | None = site.heads.get(key)
        if known is None:
            found = await self._form(request, site, place, markdown=markdown)
            if len(site.heads) >= _MOST_HEADS:
                site.heads.clear()
            site.heads[key] = found.form
        else:
            packed = self._memory.get(known.digest) or await self._memory.read(site.store, known.digest)
            found = FoundFile(site.store, known, packed)
        return answer(request, place.status, found)

    async def _form(
        self, request: web.BaseRequest, site: LiveSite, place: Route, *, markdown: bool
    ) -> FoundFile:
        form = page_form.form(place, site.files, "", lambda: markdown)
        file = site.files[form.output]
        packed = await self._memory.read(site.store, file.digest)
        wanted = _wanted(request, site, form.output, file, form.headers, indexed=place.status == 200)
        return FoundFile(site.store, file_form(wanted, packed), packed)


def _wanted(
    request: web.BaseRequest,
    site: LiveSite,
    output: str,
    file: ReleasedFile,
    headers: dict[str, str],
    *,
    indexed: bool,
) -> AskedFile:
    return AskedFile(
        output=output,
        digest=file.digest,
        codings=_codings(request),
        headers=headers,
        since=formatdate(site.pointer.since, usegmt=True),
        indexed=indexed,
    )


def _told(request: web.BaseRequest, site: LiveSite) -> RawAnswer:
    """An answer of ours where the site's own not-found page does not serve."""
    told = page_form.in_place(page_form.NOTHING, site.files, "", markdown=_markdown_wanted(request))
    body = told.text.encode()
    headers = (
        *plain_answers.STRICT,
        plain_answers.NO_INDEX,
        ("Cache-Control", "public, max-age=0, must-revalidate"),
        ("Content-Security-Policy", plain_answers.POLICY),
        ("Content-Type", told.type),
        ("Content-Length", str(len(body))),
        *told.headers.items(),
    )
    return RawAnswer(404, encoded(headers), body)


def _markdown_wanted(request: web.BaseRequest) -> bool:
    return request_headers.prefers_markdown(request.headers.getall(hdrs.ACCEPT, ()))


def _codings(request: web.BaseRequest) -> tuple[Literal["br", "gzip", ""], ...]:
    values = request.headers.getall(hdrs.ACCEPT_ENCODING, ())
    return tuple(request_headers.codings(",".join(values)))


def _with_query(target: str, request: web.BaseRequest) -> str:
    """Return the target with the query of the request behind its own."""
    query = request.rel_url.raw_query_string
    if not query:
        return target
    parts = urlsplit(target)
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))
