"""The operations of the five endpoints, and the guide: structs in, replies out."""

from __future__ import annotations

import asyncio
import time

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.paths import TWIN_SUFFIX
from builder.site import SETTINGS
from server.authoring.answer_cache import Answer
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.compose import page_of
from server.authoring.conditions import Conditions
from server.authoring.guide_forms import GuideForm
from server.authoring.put_outcome import PutOutcome, PutRequest
from server.authoring.reviewer import ReviewTooLong
from server.authoring.structs import (
    WHOLE_GUIDE,
    CategoryDeleted,
    DeleteCategory,
    DeleteResult,
    Guide,
    GuideQuery,
    InboundLink,
    PutCategory,
    PutPage,
)
from server.http import envelope


class PageOperations(Struct, frozen=True):
    """The operations on single pages and categories of one site."""

    parts: AuthoringParts

    async def site(self, by: Caller) -> Reply:
        """The summary of the site, and its pages."""
        result = await self.parts.read(lambda: self.parts.service.view.site(by.published()))
        return Reply(result, headers=by.preview_link("/"))

    async def guide(self, asked: GuideQuery = WHOLE_GUIDE, form: GuideForm = "http") -> Reply:
        """The guide for agents that write here, or a part of it."""
        text = await self.parts.read(lambda: self.parts.service.view.guide(asked.part, form))
        return Reply(Guide(text), headers={"Vary": "Accept"})

    async def page(self, path: str) -> Answer:
        """One page, encoded as an answer."""
        known = self.parts.recent.get(path)
        return known if known is not None else await self.parts.read(lambda: self._page(path))

    def _page(self, path: str) -> Answer:
        started = time.time_ns()
        source = self.parts.service.source(path)
        url = self.parts.service.view.address(source)
        answer = Answer(envelope.encoded(page_of(source)), source.revision, url)
        stem, _, format = source.file.rpartition(".")
        others = (f"{stem}{TWIN_SUFFIX}", f"{stem}.{'md' if format == 'mdx' else 'mdx'}")
        self.parts.recent.keep(path, (source.file, *others, *SETTINGS), started, answer)
        return answer

    async def put(self, sent: PutPage, conditions: Conditions, by: Caller, *, rehearsal: bool) -> Reply:
        """Create or replace a page; a rehearsal changes nothing."""
        if rehearsal:
            return await self._put(PutRequest(sent, conditions, by.author, rehearsal), by)
        async with by.changing("put"):
            return await self._put(PutRequest(sent, conditions, by.author, rehearsal), by)

    async def _put(self, asked: PutRequest, by: Caller) -> Reply:
        outcome = await self.parts.write_queue.take(lambda: self.parts.service.put(asked))
        if not asked.rehearsal:
            self.parts.changed(outcome.page.put.path)
        result = outcome.result(await self._reviewed(outcome))
        tag = {"ETag": f'"{result.revision}"'}
        if asked.rehearsal:
            return Reply(result, headers=tag)
        return Reply(result, 201 if result.created else 200, {**tag, **by.preview_link(result.url)})

    async def delete(
        self, path: str, conditions: Conditions, by: Caller, *, rehearsal: bool = False
    ) -> Reply:
        """Remove a page; a rehearsal tells of the links alone."""
        if rehearsal:
            page = await self.parts.read(lambda: self.parts.service.source(path, any_size=True))
            conditions.check(page.path, page.revision)
            return Reply(
                DeleteResult(page.path, deleted=False, inbound_links=await self._inbound(page.path, by))
            )
        async with by.changing("delete"):
            page = await self.parts.read(lambda: self.parts.service.source(path, any_size=True))
            links = await self._inbound(page.path, by)
            delete = self.parts.service.delete
            await self.parts.write_queue.take(lambda: delete(page.path, conditions, by.author))
            self.parts.changed(page.path)
            return Reply(DeleteResult(page.path, deleted=True, inbound_links=links))

    async def category(self, put: PutCategory, by: Caller) -> Reply:
        """Change what the sidebar says of a folder."""
        async with by.changing("category"):
            record = await self.parts.write_queue.take(lambda: self.parts.service.category(put, by.author))
            self.parts.changed(record.path)
            url = await self.parts.read(lambda: self.parts.service.view.folder_address(record.path))
            return Reply(record, headers=by.preview_link(url))

    async def delete_category(self, asked: DeleteCategory, by: Caller) -> Reply:
        """Remove what is said of a folder, whose pages stay; a rehearsal removes nothing."""
        by.permit()
        if asked.dry_run:
            record = await self.parts.read(lambda: self.parts.service.category_record(asked.path))
            return Reply(CategoryDeleted(deleted=False, category=record))
        async with by.changing("category_delete"):
            delete = self.parts.service.delete_category
            record = await self.parts.write_queue.take(lambda: delete(asked.path, by.author))
            self.parts.changed(record.path)
            return Reply(CategoryDeleted(deleted=True, category=record))

    async def _reviewed(self, outcome: PutOutcome) -> tuple[Diagnostic, ...]:
        """Wait for what the review says, or why it says nothing."""
        try:
            return await asyncio.wrap_future(outcome.review)
        except (ReviewTooLong, TwinpressError) as error:
            return self.parts.reviewer.failure_diagnostics(outcome.page.file, error)

    async def _inbound(self, path: str, by: Caller) -> list[InboundLink] | None:
        """The links to a page, None when they cannot be told: a page can be removed all the same."""
        try:
            found = await asyncio.wrap_future(self.parts.reviewer.inbound(path, by.key.id))
        except (ReviewTooLong, TwinpressError):
            return None
        return [InboundLink(one.path, one.file, one.line, one.column) for one in found]
