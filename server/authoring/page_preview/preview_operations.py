"""Looks at a page: its outline from the process that reviews pages, its picture from a browser."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct

from builder.review import Review
from builder.review.outline_structs import PageOutline
from builder.site import Site
from builder.store import Source
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.page_preview.preview_structs import LookAt, PageImage, PagePreview
from server.http.failure import Failure
from server.screenshots.shot import Picture, Shot

_NOBODY = "no pictures of pages are taken here: the operator of the service can switch them on"


class OutlineQuestion(Struct, frozen=True):
    """The outline of a page is asked for."""

    path: str

    def answer(self, review: Review, site: Site) -> PageOutline | None:
        """Return the outline, None where there is no such page any more."""
        return review.outline_of(self.path, site)


class PreviewOperations(Struct, frozen=True):
    """The operations by which a page is looked at."""

    parts: AuthoringParts

    async def look(self, asked: LookAt, by: Caller) -> Reply:
        """The outline of a page, and its picture where one is wanted and can be had."""
        source = await self._source(asked)
        outline = await self._outline(source, by)
        image, why = await self._image(asked, source, by) if asked.image else (None, "")
        by.permit()
        url = await self.parts.read(lambda: self.parts.service.view.address(source))
        found = PagePreview(source.path, url, source.revision, by.preview(url), outline, image, why)
        return Reply(found, headers={"Vary": "Accept", **by.preview_link(url)})

    async def picture(self, asked: LookAt, by: Caller) -> tuple[Picture, Mapping[str, str]]:
        """The picture alone, and the header that leads to the page. Raises Failure where it cannot be had."""
        source = await self._source(asked)
        found = await self._picture(asked, source, by)
        by.permit()
        url = await self.parts.read(lambda: self.parts.service.view.address(source))
        return found, by.preview_link(url)

    async def _source(self, asked: LookAt) -> Source:
        return await self.parts.read(lambda: self.parts.service.source(asked.path, any_size=True))

    async def _outline(self, source: Source, by: Caller) -> PageOutline:
        message = f"{source.path}: rendering the page took too long and was given up: simplify it"
        too_long = Failure("PREVIEW_FAILED", message)
        found = await self.parts.ask(OutlineQuestion(source.path), too_long, asker=by.key.id)
        if not isinstance(found, PageOutline):
            raise Failure("PAGE_NOT_FOUND", f"{source.path}: there is no such page")
        return found

    async def _image(self, asked: LookAt, source: Source, by: Caller) -> tuple[PageImage | None, str]:
        """The picture, or why there is none: the outline is there in any case."""
        try:
            found = await self._picture(asked, source, by)
        except Failure as failure:
            if failure.code not in {"SCREENSHOT_UNAVAILABLE", "PREVIEW_FAILED"}:
                raise
            return None, failure.message
        size = found.width, found.height, found.page_height
        return PageImage(found.png, "image/png", *size, cut=found.cut), ""

    async def _picture(self, asked: LookAt, source: Source, by: Caller) -> Picture:
        if by.picture is None:
            raise Failure("SCREENSHOT_UNAVAILABLE", _NOBODY)
        view = self.parts.service.view
        path = await self.parts.read(lambda: view.base_path() + view.address(source))
        return await by.picture(Shot(quote(path), asked.width, asked.scheme, asked.full, asked.section))
