"""Pull: what was changed on the service alone is written into the folder, through its store and history."""

from __future__ import annotations

from builder.errors import (
    InvalidPath,
    PageNotFound,
    PageTooLarge,
    PathConflict,
    RevisionMismatch,
    TwinpressError,
)
from builder.store import ChangeNote, Source
from server.authoring.structs import Page
from server.sync.folder_side import read_categories
from server.sync.folder_side import state_of as folder_state
from server.sync.page_content import text_of, untold
from server.sync.service_side import in_turns, read_one, state_of
from server.sync.side import PageState, Side
from server.sync.sync_desk import TRIES, SyncDesk
from server.sync.sync_report import Done
from server.sync.three_way import FieldChange, PageChange, Verdict, only, verdict

NOTE = ChangeNote(label="twinpress pull")
_REFUSED = (InvalidPath, PageTooLarge, PathConflict)


async def pull(desk: SyncDesk) -> None:
    """Write into the folder what was changed on the service since the base."""
    changes = desk.pages()
    desk.note_left(changes, Verdict.THERE)
    theirs = [change for change in only(changes, Verdict.THERE) if not desk.is_unpruned(change)]
    await in_turns([change.path for change in theirs if change.there and change.path not in desk.given],
                   lambda path: _fetch(desk, path))  # fmt: skip
    puts = [change for change in theirs if change.there is not None]
    deletes = [change for change in theirs if change.there is None]
    pull = _Pull(desk, len(theirs), deletes=bool(deletes))
    held_up = [change for change in puts if not await pull.write(change, last=not deletes)]
    for change in deletes:
        await pull.delete(change)
    for change in held_up:
        await pull.write(change, last=True)
    for change in only(changes, Verdict.CONFLICT):
        await desk.note_conflict(change)
    _categories(desk)


async def _fetch(desk: SyncDesk, path: str) -> None:
    """Read a page of which only the revision is known: it is as another base has it."""
    got = await read_one(desk.client, path)
    if got is not None and state_of(got) == desk.there.pages[path]:
        desk.given[path] = got.page


class _Pull:
    """The pages of one pull."""

    def __init__(self, desk: SyncDesk, number: int, *, deletes: bool) -> None:
        self._desk = desk
        self._number = number
        self._deletes = deletes
        self._done = 0

    async def write(self, change: PageChange, *, last: bool) -> bool:
        """Write one page; False where another one has its place, which may go. The `last` time it is told."""
        desk, path = self._desk, change.path
        page = desk.given.get(path)
        if page is None:
            desk.refuse(path, ValueError("it has just been changed there: pull again"))
            return True
        for _ in range(TRIES):
            source = desk.source(path)
            if not await self._is_wanted(change, source):
                return True
            try:
                self._write(page, source)
            except RevisionMismatch:
                continue
            except PathConflict as error:
                if last and not (desk.wishes.rehearsal and self._deletes):
                    desk.refuse(path, error)
                    return True
                if not last:
                    return False
            except (InvalidPath, PageTooLarge, ValueError) as error:
                desk.refuse(path, error)
                return True
            self._written(Done(path, "replaced" if source else "created"), change.there)
            return True
        desk.refuse(path, ValueError("somebody keeps changing it here: pull again"))
        return True

    def _write(self, page: Page, source: Source | None) -> None:
        store, rehearsal = self._desk.store, self._desk.wishes.rehearsal
        text = text_of(page, source.text if source else "")
        revision = source.revision if source else None
        if rehearsal:
            store.rehearse(
                page.path, page.format, text, page.llmBody, if_match=revision, create_only=source is None
            )
        else:
            store.write(
                page.path,
                page.format,
                text,
                page.llmBody,
                if_match=revision,
                create_only=source is None,
                note=NOTE,
            )

    async def delete(self, change: PageChange) -> None:
        """Delete one page that was removed there."""
        desk, path = self._desk, change.path
        for _ in range(TRIES):
            source = desk.source(path)
            if not await self._is_wanted(change, source) or source is None:
                return
            try:
                if not desk.wishes.rehearsal:
                    desk.store.delete(path, if_match=source.revision, note=NOTE)
            except (RevisionMismatch, PageNotFound):
                continue
            self._written(Done(path, "deleted"), None)
            return
        desk.refuse(path, ValueError("somebody keeps changing it here: pull again"))

    async def _is_wanted(self, change: PageChange, source: Source | None) -> bool:
        """Return whether the change is still to be made to what is here now; else it is noted."""
        desk, path = self._desk, change.path
        if source is not None and untold(source):
            desk.report.unread[path] = untold(source)
            return False
        here = folder_state(source) if source else None
        now, there = (here and here.content), (change.there and change.there.content)
        told = verdict(desk.base.content(path), now, there)
        if told is Verdict.THERE:
            return True
        if told is Verdict.SAME:
            desk.keeper.agree(path, change.there)
        else:
            await desk.note_conflict(PageChange(path, here, change.there, told))
        return False

    def _written(self, done: Done, state: PageState | None) -> None:
        desk = self._desk
        desk.keeper.agree(done.path, state)
        desk.report.done.append(done)
        self._done += 1
        desk.advance(self._done, self._number)


def _categories(desk: SyncDesk) -> None:
    """Set the fields of categories that were changed there; the folder is looked at once more."""
    fields = desk.fields(desk.here, desk.there)
    if only(fields, Verdict.THERE) and not desk.wishes.rehearsal:
        now = Side(categories=read_categories(desk.store.scan()), unread=desk.here.unread)
        fields = desk.fields(now, desk.there)
    for path, changes in desk.wanted_fields(fields, Verdict.THERE).items():
        _set(desk, path, changes)


def _set(desk: SyncDesk, path: str, changes: list[FieldChange]) -> None:
    names = tuple(one.name for one in changes)
    if not desk.wishes.rehearsal:
        try:
            desk.store.set_category(path, {one.name: one.there for one in changes}, note=NOTE)
        except (*_REFUSED, RevisionMismatch, ValueError) as error:
            desk.refuse(path, error if isinstance(error, TwinpressError) else ValueError(str(error)))
            return
        for one in changes:
            desk.keeper.agree_field(path, one.name, one.there)
    desk.report.done.append(Done(path, "set", "category", names))
