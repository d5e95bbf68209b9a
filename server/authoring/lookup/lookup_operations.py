"""Operations that look things up in the site as it is now: structs in, replies out."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.lookup.lookup_structs import DiagnosticsQuery, SearchQuery, SiteQuery
from server.authoring.lookup.page_section import SectionsQuestion, section_of
from server.authoring.lookup.site_findings import FindingPlace, FindingsQuestion
from server.authoring.lookup.site_list import ListPlace, ListQuestion, fields_of
from server.authoring.lookup.site_search import SearchPlace, SearchQuestion
from server.authoring.review_process import Question
from server.authoring.structs import SiteResult
from server.http.failure import Failure

MOST_HITS = 1_000
"""Hits that cursors lead to: who wants more asks for something else."""


T = TypeVar("T")


class LookupOperations(Struct, frozen=True):
    """The operations that find pages, and what is wrong with them, in one site."""

    parts: AuthoringParts

    async def search(self, query: SearchQuery, by: Caller) -> Reply:
        """The pages that answer a search, drafts and changes that are not published included."""
        before = place_of(query.cursor, SearchPlace).before if query.cursor else 0
        if not 0 <= before < MOST_HITS:
            raise Failure("INVALID_QUERY", f"cursor: a search gives at most {MOST_HITS:,} hits")
        found = await self._asked(SearchQuestion(query.q, query.limit, before), by)
        after = before + query.limit
        more = found.more and after < MOST_HITS
        return Reply(found.result(cursor_of(SearchPlace(after)) if more else None))

    async def listed(self, query: SiteQuery, by: Caller) -> Reply:
        """The summary of the site, and a part of the list of its pages, with the fields asked for."""
        fields = fields_of(query.fields)
        after = place_of(query.cursor, ListPlace).path if query.cursor else ""
        whole = await self.parts.read(lambda: self.parts.service.view.site(by.published()))
        found = await self._asked(ListQuestion(fields, query.prefix, after, query.limit), by)
        cursor = None if found.place is None else cursor_of(found.place)
        return Reply(SiteResult(whole.site, found.pages, cursor))

    async def section(self, path: str, section: str, by: Caller) -> Reply:
        """One section of a page; the revision is that of the whole page."""
        source = await self.parts.read(lambda: self.parts.service.source(path))
        sections = await self._asked(SectionsQuestion(source), by)
        page = section_of(source, section, sections)
        url = await self.parts.read(lambda: self.parts.service.view.address(source))
        return Reply(page, headers={"ETag": f'"{source.revision}"', **by.preview_link(url)})

    async def diagnostics(self, query: DiagnosticsQuery, by: Caller) -> Reply:
        """The diagnostics of the whole site."""
        after = place_of(query.cursor, FindingPlace) if query.cursor else None
        question = FindingsQuestion(query.level, query.path, query.code, query.limit, after)
        found = await self._asked(question, by)
        return Reply(found.result(None if found.place is None else cursor_of(found.place)))

    async def _asked(self, question: Question, by: Caller) -> Any:
        """Return an answer of the process that reads pages. Raises Failure."""
        message = "looking at the site took too long and was given up; ask again"
        too_long = Failure("TOO_BUSY", message, {"Retry-After": "5"})
        return await self.parts.ask(question, too_long, asker=by.key.id)


def cursor_of(place: object) -> str:
    """Return a place as a cursor: one that a client makes up leads elsewhere in the same list, or nowhere."""
    return urlsafe_b64encode(msgspec.msgpack.encode(place)).decode().rstrip("=")


def place_of(cursor: str, kind: type[T]) -> T:
    """Return the place that a cursor of this kind tells. Raises Failure for what is none."""
    try:
        data = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        return msgspec.msgpack.decode(data, type=kind)
    except (ValueError, binascii.Error, msgspec.MsgspecError, RecursionError):
        message = "cursor: this is none of a list here (give `next_cursor` back as it is, or leave it out)"
        raise Failure("INVALID_QUERY", message) from None
