"""Answers from the live release of a site: pages, twins, files, redirects, and its not-found page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.utils import formatdate
from typing import Literal

from aiohttp import hdrs, web
from msgspec import Struct

from builder.errors import StorageError
from server.releases.live_pointer import HASHED
from server.releases.release import ReleasedFile
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import read_part
from server.site_files import page_form, routing
from server.site_files.routing import Moved, Route
from server.site_serving import mcp_answers, plain_answers, request_headers
from server.site_serving.file_headers import AskedFile, FileForm, file_form
from server.site_serving.live_site import LiveSite
from server.site_serving.mcp_answers import McpAnswers, is_message
from server.site_serving.object_memory import ObjectMemory, PackedFile
from server.site_serving.raw_answer import PiecesAnswer, RawAnswer, encoded

PIECE = 256 * 1024


class FoundFile(Struct, frozen=True):
    """A file in the form in which it is answered, and its object in a store."""

    store: ReleaseStore
    form: FileForm
    packed: PackedFile


def answer(request: web.BaseRequest, status: int, found: FoundFile) -> RawAnswer:
    """Answer a request with a file. Only with the status 200 conditions and ranges are of account."""
    asked = request.headers
    if status != 200:
        return _whole(status, found)
    if _has(request, found.form):
        return _shown(RawAnswer(304, found.form.always), found)
    if hdrs.RANGE in asked and request.method == hdrs.METH_GET:
        part = _part(request, found.form)
        if part is not None:
            return _ranged(found, part)
    return _shown(_whole(200, found), found)


def _shown(made: RawAnswer, found: FoundFile) -> RawAnswer:
    """Note in an answer that it shows a page, if it does."""
    made.shown = found.form.shown
    return made


def _has(request: web.BaseRequest, form: FileForm) -> bool:
    """Return whether the client has this form of the file.

    By the date only where it is the very time of the release: the site may have gone back to a former one
    since a later time.
    """
    asked = request.headers
    if hdrs.IF_NONE_MATCH in asked:
        return request_headers.names_etag(asked.getall(hdrs.IF_NONE_MATCH), form.etag)
    date = asked.get(hdrs.IF_MODIFIED_SINCE)
    return date is not None and date.strip() == form.since


def _part(request: web.BaseRequest, form: FileForm) -> range | None:
    condition = request.headers.get(hdrs.IF_RANGE)
    if condition is not None and condition.strip() != form.etag:
        return None
    return request_headers.part(request.headers[hdrs.RANGE].strip(), form.size)


def _ranged(found: FoundFile, part: range) -> RawAnswer:
    if not part:
        headers = [("Content-Range", f"bytes */{found.form.size}"), ("Content-Length", "0")]
        return RawAnswer(416, found.form.always + encoded(headers))
    place = ("Content-Range", f"bytes {part.start}-{part.stop - 1}/{found.form.size}")
    return _body(206, found, part, encoded([place]))


def _whole(status: int, found: FoundFile) -> RawAnswer:
    return _body(status, found, range(found.form.size), b"")


def _body(status: int, found: FoundFile, part: range, more: bytes) -> RawAnswer:
    form, packed = found.form, found.packed
    head = b"%b%b%bContent-Length: %d\r\n" % (form.always, form.content, more, len(part))
    start = form.place[0] + part.start
    if packed.is_whole:
        return RawAnswer(status, head, memoryview(packed.data)[start : start + len(part)])
    return PiecesAnswer(status, head, len(part), _pieces(found, range(start, start + len(part))))


async def _pieces(found: FoundFile, part: range) -> AsyncIterator[bytes]:
    """Read a part of a large object piece by piece; ends early where it cannot be read."""
    objects, stored, start = found.store.objects, found.packed.stored, part.start
    while start < part.stop:
        length = min(PIECE, part.stop - start)
        try:
            piece = await asyncio.to_thread(read_part, objects, stored, start, length)
        except (FileNotFoundError, StorageError):
            return
        if not piece:
            return
        start += len(piece)
        yield piece


_OWN = "/_tp/"
_MOST_HEADS = 5_000
"""Forms of files whose headers are kept for one state of a site: some 7 MB."""


class ReaderAnswers:
    """Answers for all sites, from objects in `memory`; with `analytics` pages may ask for statistics.

    `mcp` answers agents that search and read the sites.
    """

    def __init__(
        self, memory: ObjectMemory, mcp: McpAnswers | None = None, *, analytics: bool = False
    ) -> None:
        self._memory = memory
        self._mcp = mcp or McpAnswers()
        self._analytics = analytics

    async def answer(self, request: web.BaseRequest, site: LiveSite) -> RawAnswer:
        """Answer one request. Raises DamagedRelease, DamagedObject and StorageError."""
        if not site.pointer.live:
            return plain_answers.missing()
        if is_message(request):
            return await self._mcp.answer(request, site)
        place = routing.answer(request.path, site.files, "")
        if isinstance(place, Moved):
            return plain_answers.moved(place.status, _with_query(place.location, request))
        if place is None or place.status == 404:
            led_on = site.led_on(request.path)
            if led_on is not None:
                return plain_answers.moved(301, _with_query(led_on, request))
            return await self._not_found(request, site, place)
        target = site.redirects.get(place.output)
        if target is not None:
            return plain_answers.moved(301, _with_query(target, request))
        return await self._page(request, site, place)

    async def _not_found(self, request: web.BaseRequest, site: LiveSite, place: Route | None) -> RawAnswer:
        if request.path.startswith(_OWN):
            return await self._former(request, site)
        if request.path == mcp_answers.PLACE:
            return mcp_answers.only_messages()
        if request.path == mcp_answers.CARD:
            return mcp_answers.card_of(request)
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
        wanted = self._wanted(request, site, output, found, {}, indexed=False)
        return answer(request, 200, FoundFile(site.store, file_form(wanted, packed), packed))

    async def _page(self, request: web.BaseRequest, site: LiveSite, place: Route) -> RawAnswer:
        values = request.headers.getall(hdrs.ACCEPT, ())
        markdown = bool(values) and request_headers.prefers_markdown(values)
        key = (place.output, markdown, _codings(request))
        known: FileForm | None = site.heads.get(key)
        if known is not None:
            packed = self._memory.get(site.store, known.digest)
            packed = packed or await self._memory.read(site.store, known.digest)
            # Another site's object of the same bytes may have been packed by other versions of libraries.
            if packed.forms == known.forms:
                return answer(request, place.status, FoundFile(site.store, known, packed))
        found = await self._form(request, site, place, markdown=markdown)
        if len(site.heads) >= _MOST_HEADS:
            site.heads.clear()
        site.heads[key] = found.form
        return answer(request, place.status, found)

    async def _form(
        self, request: web.BaseRequest, site: LiveSite, place: Route, *, markdown: bool
    ) -> FoundFile:
        form = page_form.form(place, site.files, "", lambda: markdown)
        file = site.files[form.output]
        packed = await self._memory.read(site.store, file.digest)
        wanted = self._wanted(request, site, form.output, file, form.headers, indexed=place.status == 200)
        return FoundFile(site.store, file_form(wanted, packed), packed)

    def _wanted(
        self,
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
            analytics=self._analytics,
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
    return routing.with_query(target, request.rel_url.raw_query_string)
