"""Looks at a page: its outline from the process that reviews pages, its picture from a browser."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct, structs

from builder.review import Review
from builder.review.bounded_outlines import BoundedOutlines, FoundOutline
from builder.review.work_budget import WorkBudget
from builder.site import Site
from builder.store import Source
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.page_preview.preview_structs import LookAt, PageImage, PageLook, PagePreview, paths_of
from server.http.failure import Failure
from server.screenshots.shot import Picture, Shot

_NOBODY = "no pictures of pages are taken here: the operator of the service can switch them on"

LOOK_SECONDS = 5.0
"""Of a processor, for the outlines of one call: a page that is begun then is still looked at."""


class OutlinesQuestion(Struct, frozen=True):
    """The outlines of pages are asked for."""

    paths: tuple[str, ...]
    full: bool

    def answer(self, review: Review, site: Site) -> list[FoundOutline]:
        """Return the outlines, one without for a page that is not there any more."""
        outlines = BoundedOutlines(review, site, WorkBudget(LOOK_SECONDS), full=self.full)
        return [outlines.of(path) for path in self.paths]


class PreviewOperations(Struct, frozen=True):
    """The operations by which a page is looked at."""

    parts: AuthoringParts

    async def look(self, asked: LookAt, by: Caller) -> Reply:
        """The outlines of pages, and the picture of the first where one is wanted and can be had."""
        sources = await self._sources(paths_of(asked))
        outlines = await self._outlines(sources, by, full=asked.detail == "full")
        image, why = await self._image(asked, sources[0], by) if asked.image else (None, "")
        by.permit()
        looks = await self.parts.read(
            lambda: [self._look(*pair, by) for pair in zip(sources, outlines, strict=True)]
        )
        first, *others = looks
        found = PagePreview(**structs.asdict(first), image=image, no_image=why, others=others)
        return Reply(found, headers={"Vary": "Accept", **by.preview_link(first.url)})

    async def picture(self, asked: LookAt, by: Caller) -> tuple[Picture, Mapping[str, str]]:
        """The picture alone, and the header that leads to the page. Raises Failure where it cannot be had."""
        source, *_ = await self._sources(paths_of(asked))
        found = await self._picture(asked, source, by)
        by.permit()
        url = await self.parts.read(lambda: self.parts.service.view.address(source))
        return found, by.preview_link(url)

    async def _sources(self, paths: list[str]) -> list[Source]:
        service = self.parts.service
        return await self.parts.read(lambda: [service.source(path, any_size=True) for path in paths])

    async def _outlines(self, sources: list[Source], by: Caller, *, full: bool) -> list[FoundOutline]:
        paths = tuple(source.path for source in sources)
        message = f"{', '.join(paths)}: rendering took too long and was given up: simplify the page"
        too_long = Failure("PREVIEW_FAILED", message)
        question = OutlinesQuestion(paths, full)
        found: list[FoundOutline] = await self.parts.ask(question, too_long, asker=by.key.id)
        for path, one in zip(paths, found, strict=True):
            if one.outline is None and not one.missing:
                raise Failure("PAGE_NOT_FOUND", f"{path}: there is no such page")
        return found

    def _look(self, source: Source, found: FoundOutline, by: Caller) -> PageLook:
        url = self.parts.service.view.address(source)
        return PageLook(source.path, url, source.revision, by.preview(url), found.outline, found.missing)

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
