"""The operations that change several pages at once, edit a page, or move pages: structs in, replies out.

A change is planned in the process that reads pages, and made by the store, whole or not at all. Where a file
is another one by then, it is planned again: a client's conditions are looked at anew each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from builder.category.record import FILES
from builder.changes.file_names import page_path
from builder.changes.plan_changes import ChangesPlan, PlannedPage
from builder.changes.steps import Step
from builder.review import Inbound
from builder.review.bounded_outlines import FoundOutline
from builder.review.outline_structs import PageOutline
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.changes.change_results import (
    ChangedPage,
    ChangeEffects,
    ChangesResult,
    EditResult,
    NavigationPlace,
    RedirectEffect,
    RewrittenFile,
    UnchangedLink,
)
from server.authoring.changes.change_structs import (
    MOST_MOVES,
    ApplyChanges,
    EditPage,
    MoveChange,
    MovePage,
    NavigationChange,
)
from server.authoring.changes.changes_question import ChangesQuestion, step_of
from server.authoring.changes.navigation_places import followed, navigation_place
from server.authoring.put_outcome import ChangeAuthor, finding_of, noted
from server.authoring.site_view import category_of
from server.authoring.structs import Finding, InboundLink
from server.http.failure import Failure

_TRIES = 10
"""How often a change is planned again while others change the same files."""


class ChangeOperations(Struct, frozen=True):
    """Whole changes of one site; a rehearsal changes nothing, and replies the same."""

    parts: AuthoringParts

    async def changes(self, asked: ApplyChanges, by: Caller, rehearsal: bool) -> Reply:
        """Make all operations as one change, or none of them."""
        moves = [at for at, change in enumerate(asked.changes) if isinstance(change, MoveChange)]
        if len(moves) > MOST_MOVES:
            message = f"is move number {MOST_MOVES + 1}, and one change may have {MOST_MOVES}"
            raise Failure("INVALID_BODY", f"changes[{moves[MOST_MOVES]}]: {message}")
        if any(isinstance(change, NavigationChange) for change in asked.changes):
            by.check_navigation()
        steps = tuple(step_of(one, f"changes[{at}].") for at, one in enumerate(asked.changes))
        author, message = by.author, _one_line(asked.message)
        if message:
            author = replace(author, note=replace(author.note, act="change", about=message))
        plan = await self._made(
            "changes", steps, by, author, rehearsal=rehearsal, named=True, outlines=asked.outline
        )
        return Reply(result_of(plan, by, None if rehearsal else author))

    async def edit(self, asked: EditPage, by: Caller, rehearsal: bool) -> Reply:
        """Edit one page."""
        author = by.author
        steps = (step_of(asked),)
        plan = await self._made("edit", steps, by, author, rehearsal=rehearsal, outlines=asked.outline)
        page = plan.pages[0]
        outline, no_outline = _outline(page)
        result = EditResult(
            not rehearsal,
            page.path,
            page.format,
            page.url,
            by.preview(page.url),
            page.created,
            page.revision,
            _findings(page) or [],
            plan.replaced,
            list(plan.fields),
            _links(plan.broken),
            made_change(plan, None if rehearsal else author),
            _navigation(page, by),
            outline,
            no_outline,
        )
        return Reply(result, headers={"ETag": f'"{page.revision}"'})

    async def move(self, asked: MovePage, by: Caller, rehearsal: bool) -> Reply:
        """Move a page or a folder."""
        author = by.author
        author = replace(author, note=replace(author.note, act="mv", about=f"{asked.from_} {asked.to}"))
        plan = await self._made("move", (step_of(asked),), by, author, rehearsal=rehearsal)
        return Reply(result_of(plan, by, None if rehearsal else author))

    async def _made(
        self,
        operation: str,
        steps: tuple[Step, ...],
        by: Caller,
        author: ChangeAuthor,
        *,
        rehearsal: bool,
        named: bool = False,
        outlines: bool = False,
    ) -> ChangesPlan:
        """Return the plan of a change that has been made, or would be. Raises Failure."""
        by.permit()
        if rehearsal:
            return await self.planned(steps, by, named=named, outlines=outlines)
        async with by.changing(operation):
            for _ in range(_TRIES):
                plan = await self.planned(steps, by, named=named, outlines=outlines)
                make = partial(self.parts.service.replace, plan.replacement, author)
                if not plan.replacement.wanted or await self.parts.write_queue.take(make):
                    self.tell(plan)
                    return plan
        raise Failure("REVISION_MISMATCH", "others change the same files all the time: try again")

    async def planned(
        self, steps: tuple[Step, ...], by: Caller, *, named: bool = False, outlines: bool = False
    ) -> ChangesPlan:
        """Return the plan of operations. Raises Failure, which says which one it is if that is `named`."""
        question = ChangesQuestion(steps, self.parts.limits.pages, named, outlines)
        message = "the change takes too long to be looked through: send fewer operations at once"
        too_long = Failure("BODY_TOO_LARGE", message)
        unanswered = "the change could not be planned: "
        found: ChangesPlan = await self.parts.ask(question, too_long, unanswered, asker=by.key.id)
        return found

    def tell(self, plan: ChangesPlan) -> None:
        """Tell of each page, folder and settings file that is another one now."""
        for place in dict.fromkeys(map(_place, plan.replacement.wanted)):
            self.parts.changed(place)


def _place(file: str) -> str:
    folder, _, name = file.rpartition("/")
    return folder if name in FILES else page_path(file) or file


def _one_line(text: str) -> str:
    return " ".join(text.split())


def made_change(plan: ChangesPlan, author: ChangeAuthor | None) -> str | None:
    """Return the id of a change that its author has made; None for a rehearsal, which has no author."""
    return author.note.id if author and plan.replacement.wanted else None


def result_of(plan: ChangesPlan, by: Caller, author: ChangeAuthor | None) -> ChangesResult:
    """Return the answer about a change that its author has made, or that was rehearsed without one."""
    effects = ChangeEffects(
        _links(plan.broken),
        [RewrittenFile(file, number) for file, number in plan.links.items()],
        [UnchangedLink(one.file, one.line, one.address) for one in plan.left],
        [RedirectEffect(old, new) for old, new in plan.redirects.items()],
        [category_of(record) for record in plan.categories],
        [*plan.said, *followed(plan.links), *([_UNSEEN] if plan.broken is None else [])],
    )
    pages = [_page(page, by) for page in plan.pages]
    return ChangesResult(author is not None, pages, effects, made_change(plan, author))


_UNSEEN = (
    "`broken_links` is null, as there was no time to look at all pages: send the same again as a rehearsal, "
    "or check the whole site"
)


def _navigation(page: PlannedPage, by: Caller) -> NavigationPlace | None:
    if page.place is None:
        return None
    return navigation_place(page.path, page.place, may_change=by.key.navigation)


def _outline(page: PlannedPage) -> tuple[PageOutline | None, str]:
    """The outline, or why one that was asked for is missing."""
    found = page.outline or FoundOutline(None)
    return found.outline, found.missing


def _page(page: PlannedPage, by: Caller) -> ChangedPage:
    outline, no_outline = _outline(page)
    return ChangedPage(
        page.path,
        page.format,
        page.url,
        "" if page.deleted else by.preview(page.url),
        page.created,
        page.deleted,
        page.moved_from or None,
        page.revision or None,
        _findings(page),
        _navigation(page, by),
        outline,
        no_outline,
    )


def _findings(page: PlannedPage) -> list[Finding] | None:
    if page.diagnostics is None:
        return None
    lines = page.sent.sent_line, page.sent.file_line
    notes = [noted(note, page.file) for note in page.sent.notes]
    return [*notes, *(finding_of(one, page.file, *lines) for one in page.diagnostics)]


def _links(found: Iterable[Inbound] | None) -> list[InboundLink] | None:
    if found is None:
        return None
    return [InboundLink(one.path, one.file, one.line, one.column) for one in found]
