"""The operations on the past of a site: who has changed what, and undoing one's own changes.

An undo is planned like any other change, in the process that reads pages, and made by the store as a whole.
It is a change of the same key, which can be undone too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from builder import paths
from builder.category.record import FILES
from builder.changes.file_names import page_path
from builder.changes.plan_changes import MOST_BYTES, ChangesPlan
from builder.changes.steps import PutBackStep
from builder.errors import InvalidPath, TwinpressError
from builder.store import Replacement
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.changes.change_operations import ChangeOperations, result_of
from server.authoring.changes.change_results import ChangeEffects
from server.authoring.histories.history_structs import (
    MOST_FILES,
    HistoryFile,
    HistoryQuery,
    PastChange,
    SiteHistory,
    UndoChanges,
    UndoResult,
)
from server.authoring.store_failures import failure_of
from server.history import Revision, TooMuchAtOnce, UndoPlan
from server.history.contents import id_of
from server.history.damage import DamagedHistory
from server.history.history import belongs, touches
from server.history.own_changes import (
    ALL,
    UndoChoice,
    UndoneAlready,
    UnknownChange,
    change_id,
    chosen,
    last_to_change,
    plan_undo,
    undone_among,
)
from server.history.recent_revisions import REACH
from server.history.undoing import ACT
from server.http.failure import Failure

LOOKED_AT = 1_000
"""Revisions that one answer looks at."""
_TRIES = 10
"""How often an undo is planned again while others change the same files."""
_NAMED = 10
"""Files that a refusal names."""
_ACTS = {"change": "changes", "mv": "move"}
"""Acts of the history's own words that have another word here."""
_KINDS = {"added": "created", "removed": "deleted", "changed": "changed"}

_WAYS = {
    "PATH_CONFLICT": "undo later changes of yours too, or make way first, or edit the pages",
    "PAGE_LIMIT_REACHED": "delete pages first, or undo later changes of yours too",
    "OWNER_ONLY": "what else the change did can be made by a new one",
}
"""The ways out where today's rules are against an undo."""

T = TypeVar("T")


class UndoWork(Struct, frozen=True):
    """The changes to undo, what is to be put back, and the files' bytes then; None for one that goes."""

    changes: Sequence[Revision]
    plan: UndoPlan
    wanted: dict[str, bytes | None]


class HistoryOperations(Struct, frozen=True):
    """The past of one site. Only one at a time waits for the history, so that others can read pages."""

    parts: AuthoringParts
    changes: ChangeOperations
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def history(self, asked: HistoryQuery, by: Caller) -> Reply:
        """The changes of a page or a folder, or those of one's own key."""
        try:
            path = paths.parse(asked.path) if asked.path else ""
        except InvalidPath as error:
            raise failure_of(error) from error
        return Reply(await self._of_past(lambda: self._history(asked, path, by.key.id)))

    async def undo(self, asked: UndoChanges, by: Caller, rehearsal: bool) -> Reply:
        """Undo changes of one's own key as one change; a rehearsal changes nothing."""
        choice = _choice(asked)
        by.permit()
        if rehearsal:
            return Reply(await self._undone(choice, by, rehearsal=True))
        async with by.changing("undo"):
            return Reply(await self._undone(choice, by, rehearsal=False))

    async def _of_past(self, work: Callable[[], T]) -> T:
        """Return what work gives that reads the history."""

        def done() -> T:
            try:
                return work()
            except UnknownChange as error:
                raise Failure("CHANGE_NOT_FOUND", str(error)) from error
            except UndoneAlready as error:
                raise Failure("PATH_CONFLICT", str(error)) from error
            except TooMuchAtOnce as error:
                raise Failure("BODY_TOO_LARGE", str(error)) from error
            except DamagedHistory as error:
                message = "the site's history is damaged, and can be mended by its owner alone"
                raise Failure("INTERNAL", message) from error
            except TwinpressError as error:
                raise failure_of(error) from error

        async with self.turn:
            return await self.parts.read(done)

    # The history.

    def _history(self, asked: HistoryQuery, path: str, key: str) -> SiteHistory:
        past = self.parts.past
        if path:
            past.history.catch_up()
        else:
            past.history.bring_in()
        begin = self._behind(asked.cursor or "")
        revisions, is_whole = past.last(begin + LOOKED_AT)
        places = range(begin, min(begin + LOOKED_AT, len(revisions)))
        fit = (at for at in places if _fits(revisions[at], path, key))
        found = list(islice(fit, asked.limit))
        end = found[-1] + 1 if len(found) == asked.limit else places.stop
        goes_on = end < len(revisions) or not (is_whole or end >= REACH)
        undone = undone_among(revisions[:end])
        entries = [_entry(revisions[at], path, key, undone) for at in found]
        return SiteHistory(entries, revisions[end - 1].id if goes_on else None)

    def _behind(self, cursor: str) -> int:
        """Return the place behind the revision that a cursor names. Raises Failure where it is none."""
        for most in (LOOKED_AT, REACH) if cursor else ():
            revisions, _ = self.parts.past.last(most)
            place = next((at for at, each in enumerate(revisions, 1) if each.id == cursor), 0)
            if place:
                return place
        if cursor:
            message = "cursor: the history has nothing there any more; begin without one"
            raise Failure("CHANGE_NOT_FOUND", message)
        return 0

    # Undoing.

    async def _undone(self, choice: UndoChoice, by: Caller, *, rehearsal: bool) -> UndoResult:
        author = by.author
        for _ in range(_TRIES):
            work = await self._of_past(partial(self._work, choice, by.key.id))
            if not work.wanted:
                return _nothing(work)
            plan = await self._planned(PutBackStep(work.wanted, by.key.navigation), by)
            if not _is_as_expected(work, plan.replacement):
                continue
            if rehearsal:
                return _result(work, plan, by, "")
            about = ALL if choice.is_all else " ".join(map(change_id, work.changes))
            noted = replace(author, note=replace(author.note, act=ACT, about=about))
            change = replace(plan.replacement, make=work.plan.make, drop=work.plan.drop)
            make = partial(self.parts.service.replace, change, noted)
            if await self.parts.write_queue.take(make):
                self.changes.tell(plan)
                return _result(work, plan, by, noted.note.id)
        raise Failure("REVISION_MISMATCH", "others change the same files all the time: try again")

    async def _planned(self, step: PutBackStep, by: Caller) -> ChangesPlan:
        """Return the plan to put files back. Raises Failure where today's rules are against it."""
        try:
            return await self.changes.planned((step,), by)
        except Failure as refused:
            way = _WAYS.get(refused.code)
            if way is None:
                raise
            raise Failure(refused.code, f"{refused}: nothing was undone; {way}", refused.headers) from refused

    def _work(self, choice: UndoChoice, key: str) -> UndoWork:
        """Return what an undo has to do. Raises Failure for conflicts, and as `chosen` does."""
        history = self.parts.past.history
        history.catch_up()
        revisions, changes = self._chosen(choice, key)
        now = history.files_at(revisions[0].id) if revisions else {}
        plan = plan_undo(revisions, changes, now)
        if plan.conflicts:
            files = [file for one in plan.conflicts for file in one.files]
            raise Failure("PATH_CONFLICT", _refusal(files, revisions, changes, key))
        bytes_of = history.contents({new for _, new in plan.changes.values() if new}, MOST_BYTES)
        wanted = {file: bytes_of[new] if new else None for file, (_, new) in plan.changes.items()}
        return UndoWork(changes, plan, wanted)

    def _chosen(self, choice: UndoChoice, key: str) -> tuple[Sequence[Revision], list[Revision]]:
        """Return the revisions from the last, and those that are meant. Raises UnknownChange, Failure."""
        revisions, is_whole = self.parts.past.last(LOOKED_AT)
        if not is_whole:
            try:
                found = chosen(revisions, key, choice)
            except UnknownChange:
                found = []
            if found and (choice.ids or len(found) == choice.last):
                return revisions, found
            revisions, is_whole = self.parts.past.last(REACH)
        if choice.is_all and not is_whole:
            message = f"the site has more than {REACH:,} changes, and not all of them can be looked through"
            raise Failure("PATH_CONFLICT", f"{message}: undo with `last` or `changes`, or ask the owner")
        return revisions, chosen(revisions, key, choice)


def _fits(revision: Revision, path: str, key: str) -> bool:
    return touches(revision, path) if path else revision.note.key == key


def _choice(asked: UndoChanges) -> UndoChoice:
    given = {"change": asked.change, "changes": asked.changes, "last": asked.last, "all": asked.all}
    named = [name for name, value in given.items() if value]
    if len(named) > 1:
        both = " and ".join(f"`{name}`" for name in named)
        raise Failure("INVALID_BODY", f"{both}: give only one of them")
    ids = (asked.change,) if asked.change else tuple(asked.changes or ())
    return UndoChoice(ids, 0 if ids or asked.all else asked.last or 1)


def _is_as_expected(work: UndoWork, found: Replacement) -> bool:
    """Return whether the plan is about the files as the history has them."""
    known = {file: data if data is None else id_of(data) for file, data in found.expected.items()}
    return all(known.get(file) == old for file, (old, _) in work.plan.changes.items())


def _refusal(
    files: Sequence[str], revisions: Sequence[Revision], changes: Sequence[Revision], key: str
) -> str:
    oldest = max(revisions.index(each) for each in changes)
    since = revisions[:oldest]
    told = [f"`{file}` ({_reason(file, since, changes, key)})" for file in files[:_NAMED]]
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    way = "undo later changes of yours too, or other changes by their ids, or edit the pages"
    return f"{', '.join(told)}{more}: nothing was undone; {way}"


def _reason(file: str, since: Iterable[Revision], changes: Sequence[Revision], key: str) -> str:
    later = last_to_change(since, file, changes)
    if later is not None and later.note.key == key:
        return f"changed since by your change {change_id(later)}"
    return "changed since by others" if later is not None else "in the way"


def _result(work: UndoWork, plan: ChangesPlan, by: Caller, change: str) -> UndoResult:
    found, undone = result_of(plan, by, None), [change_id(each) for each in work.changes]
    files = [
        _file(file, "created" if old is None else "deleted" if new is None else "changed")
        for file, (old, new) in sorted(work.plan.changes.items())
    ]
    return UndoResult(bool(change), change or None, undone, found.pages, files, found.effects)


def _nothing(work: UndoWork) -> UndoResult:
    effects = ChangeEffects([], [], [], [], [], ["Nothing is left to undo."])
    return UndoResult(False, None, [change_id(each) for each in work.changes], [], [], effects)


def _entry(revision: Revision, path: str, key: str, undone: frozenset[str]) -> PastChange:
    note = revision.note
    files = sorted(revision.files, key=lambda each: (not belongs(each.file, path), each.file))
    return PastChange(
        id=change_id(revision),
        time=datetime.fromtimestamp(revision.time, UTC).isoformat(timespec="seconds"),
        act=_act(revision),
        by="you" if note.key == key else "another key" if note.key else "the owner",
        message=note.about or None if note.act == "change" else None,
        undone=revision.id in undone,
        files=[_file(each.file, _KINDS[each.change]) for each in files[:MOST_FILES]],
        file_count=len(files),
    )


def _act(revision: Revision) -> str:
    if revision.note.act or revision.outside:
        return _ACTS.get(revision.note.act, revision.note.act) or "outside"
    if all(each.file.rpartition("/")[2] in FILES for each in revision.files):
        return "category"
    if len({page_path(each.file) or each.file for each in revision.files}) > 1:
        return "changes"
    return "delete" if all(each.new is None for each in revision.files) else "write"


def _file(file: str, kind: str) -> HistoryFile:
    name = file.encode(errors="surrogateescape").decode(errors="replace")
    return HistoryFile(name, page_path(file) or None, kind)  # type: ignore[arg-type]  # one of the three
