"""The operations on the history: what changed, and the undoing of a key's own changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from builder import paths
from builder.category.record import FILES
from builder.errors import InvalidPath, TwinpressError
from builder.site import SETTINGS
from server.authoring.calls import Caller, Reply
from server.authoring.page_operations import SiteParts
from server.authoring.service import failure_of
from server.authoring.site_matters.history_structs import (
    MOST_CHANGES,
    MOST_FILES,
    Author,
    FileChange,
    HistoryChange,
    HistoryPart,
    HistoryQuery,
    UndoChanges,
    UndoResult,
)
from server.history import Revision, TooMuchAtOnce, page_of
from server.history.history import SHORT, belongs, touches
from server.history.key_changes import NotInEffect, UndoneChanges, changes_in_effect, undo_own
from server.http.failure import Failure

_LOOKED_AT = 5_000
"""Changes of the site, the last ones, among which those that are asked for are looked for."""
_NAMED = 20
"""Files that a refusal names."""
_MOST_BYTES = 32 * 1024 * 1024
"""Bytes of text that one undo may change."""


class HistoryOperations(Struct, frozen=True):
    """The history of one site, as keys see it."""

    parts: SiteParts

    async def read(self, asked: HistoryQuery, by: Caller) -> Reply:
        """List changes of a path, or those of the key itself, the last first."""
        path = _path(asked.path) if asked.path else ""
        return Reply(await self.parts.read(lambda: self._read(path, asked.cursor or "", by)))

    def _read(self, path: str, cursor: str, by: Caller) -> HistoryPart:
        try:
            self.parts.history.bring_in()
            every = self.parts.history.revisions(within=_LOOKED_AT)
        except TwinpressError as error:
            raise failure_of(error) from error
        found = [each for each in every if _is_wanted(each, path, by.key.id)]
        before = (at + 1 for at, each in enumerate(found) if each.id == cursor)
        start = next(before, len(found)) if cursor else 0
        shown = found[start : start + MOST_CHANGES]
        own = {each.id for each in changes_in_effect(every, by.key.id)}
        following = shown[-1].id if len(found) > start + MOST_CHANGES else None
        return HistoryPart([_told(each, path, by, own) for each in shown], following)

    async def undo(self, asked: UndoChanges, by: Caller, rehearsal: bool) -> Reply:
        """Undo changes of the key itself, as one change; a rehearsal changes nothing."""
        if [asked.change is not None, asked.last is not None, asked.all].count(True) != 1:
            raise Failure("INVALID_BODY", "give one of `change`, `last` and `all`")
        by.permit()
        if rehearsal:
            done = await self.parts.read(lambda: self._undone(asked, by, rehearsal=True))
            return Reply(_result(done, ""))
        async with by.changing("undo"):
            done = await self.parts.write_queue.take(lambda: self._undone(asked, by, rehearsal=False))
            for place in dict.fromkeys(map(_place, (*done.done.changed, *done.done.removed))):
                self.parts.changed(place)
            made = await self.parts.read(lambda: self._made(done, by))
            return Reply(_result(done, made))

    def _undone(self, asked: UndoChanges, by: Caller, *, rehearsal: bool) -> UndoneChanges:
        """Raises Failure, and names the files that others have changed since."""
        self.parts.service.take_room(0, by.author)
        history, store = self.parts.history, self.parts.store
        try:
            done = undo_own(
                history,
                store,
                by.author.note,
                change=asked.change or "",
                last=asked.last,
                most=_MOST_BYTES,
                permit=by.permit,
                rehearsal=rehearsal,
            )
        except NotInEffect as error:
            raise Failure("PAGE_NOT_FOUND", str(error)) from error
        except TooMuchAtOnce as error:
            raise Failure("BODY_TOO_LARGE", str(error)) from error
        except TwinpressError as error:
            raise failure_of(error) from error
        if done.plan.conflicts:
            files = [file for one in done.plan.conflicts for file in one.files]
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            named = ", ".join(f"`{file}`" for file in files[:_NAMED])
            message = f"nothing is undone: {named}{more} changed since, or is in the way (edit instead)"
            raise Failure("PATH_CONFLICT", message)
        return done

    def _made(self, done: UndoneChanges, by: Caller) -> str:
        """The id of the change that an undo has become, "" where it changed nothing."""
        if not done.done.changed and not done.done.removed:
            return ""
        self.parts.history.bring_in()
        about = {each.id[:SHORT] for each in done.chosen}
        every = self.parts.history.revisions(most=MOST_CHANGES)
        own = (each for each in every if each.note.key == by.key.id and each.note.act == "undo")
        return next((each.id for each in own if set(each.note.about.split()) == about), "")


def _path(text: str) -> str:
    """A path as the history knows it. Raises Failure."""
    if text in SETTINGS:
        return text
    try:
        return paths.parse(text)
    except InvalidPath as error:
        try:
            return paths.parse_folder(text)
        except InvalidPath:
            raise Failure("INVALID_PATH", str(error)) from error


def _is_wanted(revision: Revision, path: str, key: str) -> bool:
    return touches(revision, path) if path else revision.note.key == key


def _told(revision: Revision, path: str, by: Caller, in_effect: set[str]) -> HistoryChange:
    note, is_own = revision.note, revision.note.key == by.key.id
    author: Author = "this key" if is_own else "another key" if note.key else "the owner"
    files = [*_files(revision, path)]
    return HistoryChange(
        id=revision.id,
        time=datetime.fromtimestamp(revision.time, UTC).isoformat(timespec="seconds"),
        act=note.act or ("outside" if revision.outside else "change"),
        by=author,
        label=note.label if is_own else "",
        files=files[:MOST_FILES],
        more_files=max(0, len(files) - MOST_FILES),
        can_undo=revision.id in in_effect,
    )


def _files(revision: Revision, path: str) -> Iterator[FileChange]:
    for each in revision.files:
        if not path or belongs(each.file, path):
            name = each.file.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            yield FileChange(name, each.change)


def _place(file: str) -> str:
    """The page, folder or file that a change of a file is told of."""
    folder, _, name = file.rpartition("/")
    return folder if name in FILES else page_of(file)


def _result(done: UndoneChanges, made: str) -> UndoResult:
    undone: Sequence[str] = [each.id for each in done.chosen]
    return UndoResult(
        bool(made), list(undone), list(done.done.changed), list(done.done.removed), made or None
    )
