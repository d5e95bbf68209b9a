"""Takes pictures of the pages of the preview; the browser gets their files from here, and no network.

Apart from `app`, whose handlers answer those who come over the network.
"""

from __future__ import annotations

import asyncio
from urllib.parse import unquote, urlsplit

from aiohttp import web
from msgspec import Struct

from builder.errors import ThemeError
from server.preview.sending import Content
from server.preview.site_answers import GONE, SiteAnswers
from server.preview.snapshot import Snapshot
from server.preview.viewers import Live
from server.screenshots.camera import Camera
from server.screenshots.page_view import MOST_BYTES
from server.screenshots.shot import LoadedFile, Picture, Shot
from server.site_files.routing import Route, answer


class PreviewPictures(Struct, frozen=True):
    """Pictures of the pages in `live`."""

    live: Live
    answers: SiteAnswers
    camera: Camera

    async def take(self, shot: Shot) -> Picture:
        """Take a picture of the state that has all that this server has changed. Raises Failure."""
        return await self.camera.picture(self.load, shot)

    async def load(self, target: str) -> LoadedFile | None:
        """Return the file at a path of the site, as a browser gets it."""
        snapshot = await self.live.whole()
        if snapshot is None:
            return None
        place = answer(unquote(urlsplit(target).path), snapshot.paths, snapshot.base)
        if not isinstance(place, Route):
            return None
        try:
            content = await self.answers.content(snapshot, place.output)
            body = await asyncio.to_thread(_bytes, content)
        except (*GONE, ThemeError, web.HTTPException):  # the last: everything ends
            return None
        return _file(snapshot, place, content, body)


def _bytes(content: Content) -> bytes:
    """Read a file, of one that is too large only so much that this is seen."""
    with content.open() as file:
        return file.read(MOST_BYTES + 1)


def _file(snapshot: Snapshot, place: Route, content: Content, body: bytes) -> LoadedFile:
    policy = ""
    if place.output in snapshot.output.copied:
        policy = snapshot.confinement.headers(place.output).get("Content-Security-Policy", "")
    return LoadedFile(body, content.type, place.status, policy)
