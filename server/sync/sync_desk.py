"""The common part of push and pull: both sides, the base between them, and what is noted on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from builder.errors import PageNotFound, TwinpressError
from builder.store import ContentStore, Source
from server.authoring.structs import Page
from server.sync.base_file import BaseKeeper
from server.sync.service_client import Refusal, ServiceClient
from server.sync.service_side import read_one
from server.sync.side import FIELDS, Side
from server.sync.sync_report import RefusedPage, SyncConflict, SyncReport, Towards, page_diff
from server.sync.three_way import (
    Choice,
    FieldChange,
    PageChange,
    Verdict,
    compare_categories,
    compare_pages,
    only,
)

TRIES = 3
"""Tries of one page that changes at this very moment."""
Direction = Literal["push", "pull"]


class Wishes(Struct, frozen=True):
    """The options of a run. A `rehearsal` changes nothing, on no side; `prune` removes what was removed."""

    prune: bool = False
    rehearsal: bool = False
    choice: Choice = Choice()


class SyncDesk(Struct, frozen=True):
    """One push or pull. `base` is what both sides had, with decided conflicts as if they were none."""

    store: ContentStore
    client: ServiceClient
    keeper: BaseKeeper
    wishes: Wishes
    base: Side
    here: Side
    there: Side
    given: dict[str, Page]
    report: SyncReport
    towards: Towards
    """The side that is written from: `ours` in a push."""
    advance: Callable[[int, int], None]

    def pages(self) -> tuple[PageChange, ...]:
        """The pages that differ."""
        return compare_pages(self.base, self.here, self.there)

    def fields(self, here: Side, there: Side) -> tuple[FieldChange, ...]:
        """The fields of categories that differ."""
        return compare_categories(self.base, here, there)

    def agree_on_same(self) -> None:
        """Note in the base what is the same on both sides, and what is gone from both."""
        differ = {change.path for change in self.pages()}
        for path in {*self.base.pages, *self.here.pages, *self.there.pages} - differ:
            if not (self.here.unread.hides_page(path) or self.there.unread.hides_page(path)):
                self.keeper.agree(path, self.there.pages.get(path))
        open_fields = {(one.path, one.name) for one in self.fields(self.here, self.there)}
        for path in {*self.base.categories, *self.here.categories, *self.there.categories}:
            if self.here.unread.hides_category(path):
                continue
            for name in FIELDS:
                if (path, name) not in open_fields:
                    self.keeper.agree_field(path, name, getattr(self.there.category(path), name))

    def note_left(self, changes: Iterable[PageChange], mine: Verdict) -> None:
        """Note what only the other side has changed, and what stays as nothing is to be removed."""
        for change in changes:
            if change.verdict is mine and self.is_unpruned(change):
                self.report.unpruned.append(change.path)
            elif change.verdict not in {mine, Verdict.CONFLICT}:
                self.report.other.append(change.path)

    def is_unpruned(self, change: PageChange) -> bool:
        """Return whether a change is a removal, and nothing is to be removed."""
        source = change.here if change.verdict is Verdict.HERE else change.there
        return source is None and not self.wishes.prune

    def wanted_fields(self, fields: Sequence[FieldChange], mine: Verdict) -> dict[str, list[FieldChange]]:
        """Return the fields to set on the other side, by category; note all that are not to be set."""
        self._note_field_conflicts(fields)
        wanted: dict[str, list[FieldChange]] = {}
        for one in only(fields, mine):
            if one.gone and not self.wishes.prune:
                self.report.unpruned.append(one.path)
            else:
                wanted.setdefault(one.path, []).append(one)
        theirs = Verdict.THERE if mine is Verdict.HERE else Verdict.HERE
        self.report.other += [one.path for one in only(fields, theirs)]
        return wanted

    def _note_field_conflicts(self, fields: Iterable[FieldChange]) -> None:
        """Note the fields of categories that were changed on both sides."""
        for one in only(fields, Verdict.CONFLICT):
            message = f"{one.name} is {_value(one.here)} here and {_value(one.there)} there"
            self.report.conflicts.append(SyncConflict(one.path, message, "category"))

    async def note_conflict(self, change: PageChange) -> None:
        """Note a page that was changed on both sides, with both of them as they are now."""
        ours, theirs = self.source(change.path), self.given.get(change.path)
        if theirs is None and change.there is not None:
            theirs = await self._fetch(change.path)
        diff = page_diff(change.path, ours, theirs, self.towards)
        self.report.conflicts.append(SyncConflict(change.path, _how(change), diff=diff))

    async def _fetch(self, path: str) -> Page | None:
        try:
            got = await read_one(self.client, path)
        except Refusal:
            return None
        return got.page if got else None

    def source(self, path: str) -> Source | None:
        """The folder's page as it is now, None where there is none, or none that can be read."""
        try:
            return self.store.read(path)
        except PageNotFound:
            return None
        except TwinpressError as error:
            self.report.unread[path] = error.message
            return None

    def refuse(self, path: str, error: Refusal | TwinpressError | ValueError) -> None:
        """Note a change that could not be made."""
        code = error.code if isinstance(error, Refusal) else ""
        message = error.message if isinstance(error, Refusal | TwinpressError) else str(error)
        self.report.refused.append(RefusedPage(path, message, code))


def _how(change: PageChange) -> str:
    if change.here is None:
        return "removed here and changed there"
    return "changed here and removed there" if change.there is None else "changed here and there"


def _value(value: object) -> str:
    return "not set" if value is None else f"`{value}`"
