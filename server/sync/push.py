"""Push: what was changed here alone is written to the service, on the condition that it is as it was there.

What depends on other pages is asked or tried again when these have been written.
"""

from __future__ import annotations

from collections.abc import Iterable

from builder.frontmatter.split import split
from builder.paths import TWIN_SUFFIX
from builder.store import Source
from server.authoring.compose import page_of
from server.authoring.structs import Finding, InboundLink, Page
from server.sync.folder_side import state_of as folder_state
from server.sync.page_content import page_digest, untold
from server.sync.service_client import PutAnswer, Refusal
from server.sync.service_side import categories_of, in_turns, read_one, state_of
from server.sync.side import PageState, Side
from server.sync.sync_desk import TRIES, SyncDesk
from server.sync.sync_report import Done, Said
from server.sync.three_way import FieldChange, PageChange, Verdict, only, verdict

CHANGING = frozenset({"draft-kept", "frontmatter-replaced", "twin-kept"})
"""Codes with which the service says that a page is not what was sent."""
LINKS = frozenset({"broken-link", "broken-anchor", "link-draft"})
"""Codes that depend on other pages, which may be sent after this one."""


def said(finding: Finding, sent: Page, source: Source, revision: str) -> Said:
    """The finding about a page of the folder, which was `sent` and has this `revision` now."""
    file, line = source.file, 0
    if revision == source.revision:
        line = finding.file_line  # the very bytes of the folder's file
    elif finding.part != "frontmatter" and finding.line:
        line = finding.line + (_shift(sent, source) if finding.part == "body" else 0)
    if finding.part == "llmBody":
        file = f"{source.file.rpartition('.')[0]}{TWIN_SUFFIX}"
    column = finding.column if line else 0
    return Said(finding.code, finding.level, file, line, column, finding.message, finding.hint)


def _shift(sent: Page, source: Source) -> int:
    """Return how many lines further down the folder's file has what was sent."""
    return split(source.text, "").first_line - split(sent.body, "").first_line


_MISMATCH, _GONE = "REVISION_MISMATCH", "PAGE_NOT_FOUND"
_HELD_UP = frozenset({"PATH_CONFLICT", "PAGE_LIMIT_REACHED"})
"""Codes that may be over when other pages have been deleted."""


async def push(desk: SyncDesk) -> None:
    """Write to the service what was changed in the folder since the base."""
    changes = desk.pages()
    desk.note_left(changes, Verdict.HERE)
    ours = [change for change in only(changes, Verdict.HERE) if not desk.is_unpruned(change)]
    puts = [change for change in ours if change.here is not None]
    deletes = [change for change in ours if change.here is None]
    push = _Push(desk, len(ours))
    await in_turns(puts, push.put)
    await in_turns(deletes, push.delete)
    if deletes:
        await push.put_held_up(puts)
    for change in only(changes, Verdict.CONFLICT):
        await desk.note_conflict(change)
    await _categories(desk)
    await push.check_links()


class _Push:
    """The pages of one push. `sent` are those whose findings about links are to be asked for again."""

    def __init__(self, desk: SyncDesk, number: int) -> None:
        self._desk = desk
        self._number = number
        self._done = 0
        self._links: dict[str, tuple[Page, Source, str]] = {}

    async def put(self, change: PageChange) -> None:
        """Write one page; where somebody else has just changed it, it is looked at again."""
        desk, there = self._desk, change.there
        for _ in range(TRIES):
            source = desk.source(change.path)
            if source is None or untold(source):
                return desk.refuse(change.path, ValueError("it has just been changed here: push again"))
            page = page_of(source)
            try:
                answer = await desk.client.put(
                    page, there.revision if there else None, rehearsal=desk.wishes.rehearsal
                )
            except Refusal as refusal:
                if refusal.code != _MISMATCH:
                    return desk.refuse(change.path, refusal)
                again = await self._look_again(change.path, folder_state(source))
                if again is None:
                    return None
                there = again.there
            else:
                return self._written(page, source, answer, created=there is None)
        return desk.refuse(change.path, ValueError("somebody keeps changing it there: push again"))

    async def _look_again(self, path: str, here: PageState | None) -> PageChange | None:
        """Compare a page that is not as it was; the change if it is still to be made, else it is noted."""
        desk = self._desk
        try:
            got = await read_one(desk.client, path)
        except Refusal as refusal:
            desk.refuse(path, refusal)
            return None
        there = state_of(got) if got else None
        base, content = desk.base.content(path), here.content if here else None
        told = verdict(base, content, there.content if there else None)
        change = PageChange(path, here, there, told)
        if told is Verdict.HERE:
            return change
        if told is Verdict.SAME:
            desk.keeper.agree(path, there)
        elif told is Verdict.THERE:
            desk.report.other.append(path)
        else:
            desk.given.pop(path, None)
            await desk.note_conflict(change)
        return None

    def _written(self, page: Page, source: Source, answer: PutAnswer, *, created: bool) -> None:
        desk, path = self._desk, page.path
        other = any(each.code in CHANGING for each in answer.diagnostics)
        desk.keeper.agree(path, PageState(page_digest(page), "" if other else answer.revision))
        desk.report.done.append(Done(path, "created" if created else "replaced"))
        links = [each for each in answer.diagnostics if each.code in LINKS]
        if links and self._number > 1:
            self._links[path] = page, source, answer.revision
        kept = [each for each in answer.diagnostics if each.code not in LINKS or self._number == 1]
        self._say(path, (said(each, page, source, answer.revision) for each in kept))
        self._advance()

    async def put_held_up(self, puts: Iterable[PageChange]) -> None:
        """Write those pages that were refused as others had their place, now that these are deleted."""
        report = self._desk.report
        held_up = {each.path for each in report.refused if each.code in _HELD_UP}
        report.refused[:] = [each for each in report.refused if each.path not in held_up]
        again = [change for change in puts if change.path in held_up]
        if self._desk.wishes.rehearsal:
            report.done += [Done(change.path, "created") for change in again]
        else:
            await in_turns(again, self.put)

    async def delete(self, change: PageChange) -> None:
        """Delete one page that was removed here."""
        desk, there = self._desk, change.there
        for _ in range(TRIES):
            if there is None:
                return None
            try:
                links = await self._delete(change.path, there.revision)
            except Refusal as refusal:
                if refusal.code not in {_MISMATCH, _GONE}:
                    return desk.refuse(change.path, refusal)
                again = await self._look_again(change.path, None)
                if again is None:
                    return None
                there = again.there
            else:
                return self._deleted(change.path, links)
        return desk.refuse(change.path, ValueError("somebody keeps changing it there: push again"))

    async def _delete(self, path: str, revision: str) -> list[InboundLink]:
        if self._desk.wishes.rehearsal:
            return []
        return (await self._desk.client.delete(path, revision)).inbound_links or []

    def _deleted(self, path: str, links: Iterable[InboundLink]) -> None:
        desk = self._desk
        desk.keeper.agree(path, None)
        desk.report.done.append(Done(path, "deleted"))
        message, hint = f"here is a link to `{path}`, which was deleted", "correct or remove the link"
        self._say(path, (
            Said("broken-link", "error", each.file, each.line, each.column, message, hint) for each in links
        ))  # fmt: skip
        self._advance()

    async def check_links(self) -> None:
        """Ask again about links: pages that they lead to may have been sent later."""
        if not self._desk.wishes.rehearsal:
            await in_turns(list(self._links.values()), self._check)

    async def _check(self, sent: tuple[Page, Source, str]) -> None:
        page, source, revision = sent
        try:
            answer = await self._desk.client.put(page, revision, rehearsal=True)
        except Refusal:
            return  # somebody has changed the page meanwhile, and was told themselves
        links = (each for each in answer.diagnostics if each.code in LINKS)
        self._say(page.path, (said(each, page, source, revision) for each in links))

    def _say(self, path: str, found: Iterable[Said]) -> None:
        self._desk.report.said.setdefault(path, []).extend(found)

    def _advance(self) -> None:
        self._done += 1
        self._desk.advance(self._done, self._number)


async def _categories(desk: SyncDesk) -> None:
    """Set the fields of categories that were changed here; what the service has is looked at once more."""
    fields = desk.fields(desk.here, desk.there)
    if only(fields, Verdict.HERE) and not desk.wishes.rehearsal:
        now = Side(categories=categories_of(await desk.client.site()))
        fields = desk.fields(desk.here, now)
    for path, changes in desk.wanted_fields(fields, Verdict.HERE).items():
        await _set(desk, path, changes)


async def _set(desk: SyncDesk, path: str, changes: list[FieldChange]) -> None:
    names = tuple(one.name for one in changes)
    if not desk.wishes.rehearsal:
        try:
            now = await desk.client.category(path, {one.name: one.here for one in changes})
        except Refusal as refusal:
            return desk.refuse(path, refusal)
        for one in changes:
            if getattr(now, one.name) == one.here:
                desk.keeper.agree_field(path, one.name, one.here)
    desk.report.done.append(Done(path, "set", "category", names))
    return None
