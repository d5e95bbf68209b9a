"""The server of tools that read the site which is shown: `/mcp`, below the site's base path and at the root.

It shows what the preview shows, drafts as well, to those who may look at the preview.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import BinaryIO

from aiohttp import hdrs, web

from builder.preview import Later
from server.http.failure import Failure
from server.mcp import card, http
from server.mcp.find import opened
from server.mcp.reading import ReadingService, SiteReader
from server.preview.site_answers import GONE, SiteAnswers, stopping
from server.preview.snapshot import Snapshot
from server.preview.viewers import Live

PLACE = "mcp"
_PATIENCE = 30.0
"""Seconds that a file may take to be made."""

OpenFile = Callable[[str], BinaryIO]


class PreviewReading:
    """Answers over the present state in `live`; `visit` counts requests, and raises Failure for too many."""

    def __init__(
        self,
        live: Live,
        answers: SiteAnswers,
        open_file: OpenFile,
        visit: Callable[[web.Request], None],
    ) -> None:
        self._live = live
        self._answers = answers
        self._open_file = open_file
        self._visit = visit
        self._known: tuple[Snapshot, SiteReader] | None = None

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Answer a message."""
        snapshot = await self._shown()
        if not _is_ours(request, snapshot):
            raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD"])
        try:
            self._visit(request)
            data = await http.read_post(request, http.READING)
        except Failure as failure:
            return http.refused(failure).response()
        reader = self._reader(snapshot)
        return (await http.answer(request, data, ReadingService(reader, asyncio.to_thread))).response()

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Show the page that the site has there, if it has one."""
        snapshot = await self._shown()
        if not _is_ours(request, snapshot) or await self._answers.has(request, snapshot):
            return await self._answers.page(request, snapshot)
        raise web.HTTPMethodNotAllowed(request.method, ["POST"])

    async def card(self, request: web.Request) -> web.StreamResponse:
        """The card by which clients find the server, where the site has no file of that name."""
        snapshot = await self._shown()
        if await self._answers.has(request, snapshot):
            return await self._answers.page(request, snapshot)
        body = card.card(request.headers.get(hdrs.HOST, ""), f"{snapshot.base}/{PLACE}")
        return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-cache"})

    async def _shown(self) -> Snapshot:
        snapshot = await self._live.whole()
        if snapshot is None:
            raise stopping()
        return snapshot

    def _reader(self, snapshot: Snapshot) -> SiteReader:
        """The tools over a state."""
        known = self._known
        if known is not None and known[0] is snapshot:
            return known[1]
        reader = opened(lambda output: self._read(snapshot, output))
        self._known = (snapshot, reader)
        return reader

    def _read(self, snapshot: Snapshot, output: str) -> bytes | None:
        file = snapshot.output.copied.get(output)
        if file is not None:
            try:
                with self._open_file(file) as source:
                    return source.read()
            except GONE:
                return None
        made = snapshot.output.ask(output).result(_PATIENCE)
        return made.files().get(output) if isinstance(made, Later) else made


def _is_ours(request: web.Request, snapshot: Snapshot) -> bool:
    return request.path in {f"/{PLACE}", f"{snapshot.base}/{PLACE}"}
