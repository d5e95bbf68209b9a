"""The question about a change of many files: asked in the server, planned in the process that reads pages."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, Struct

from builder.changes.composed_page import InvalidText
from builder.changes.edit_text import RefusedEdit
from builder.changes.file_names import FileNameTaken
from builder.changes.plan_changes import ChangesPlan, TooMuchToChange, plan_changes
from builder.changes.put_back import OwnersNavigation
from builder.changes.steps import (
    CategoryStep,
    DeleteCategoryStep,
    DeleteStep,
    EditStep,
    LineReplacement,
    MoveStep,
    NavigationStep,
    RedirectStep,
    Step,
    TextReplacement,
    WriteStep,
)
from builder.changes.steps_outcome import RefusedStep
from builder.config.navigation_text import InvalidNavigation
from builder.config.settings_text import InvalidSettings
from builder.errors import TwinpressError
from builder.moves.owners_redirects import OwnersRedirect
from builder.moves.redirect_plan import RefusedRedirect
from builder.moves.relocation import NothingToMove, RefusedMove
from builder.review import Review
from builder.site import Site
from server.authoring.changes.change_structs import (
    AddRedirectChange,
    AnyChange,
    CategoryChange,
    DeleteCategoryChange,
    DeleteChange,
    DeleteRedirectChange,
    MoveChange,
    MovePage,
    NavigationChange,
    PageEdits,
    TextEdit,
    WriteChange,
)
from server.authoring.review_process import RefusedQuestion
from server.authoring.site_matters.navigation_structs import given_fields
from server.authoring.store_failures import failure_of
from server.http.failure import Failure


class ChangesQuestion(Struct, frozen=True):
    """The plan of a change is asked for, after which the site may have `most` pages; perhaps with outlines.

    Where there is none, the answer says which operation cannot be done if operations are `named`.
    """

    steps: tuple[Step, ...]
    most: int
    named: bool
    outlines: bool = False

    def answer(self, review: Review, site: Site) -> ChangesPlan | RefusedQuestion:
        """Return the plan, or why there is none."""
        try:
            return plan_changes(review, site, self.steps, self.most, outlines=self.outlines)
        except RefusedStep as refused:
            message = str(refused.error)
            place = _place(refused) if self.named else ""
            return RefusedQuestion(_code(refused.error), f"{place}{message}")


def _place(refused: RefusedStep) -> str:
    """The operation, and its field, as the beginning of a message; "" for the change as a whole."""
    if refused.index < 0:
        return ""
    place = f"changes[{refused.index}]"
    if isinstance(refused.error, _FIELDED):
        return f"{place}."
    return f"{place}.{refused.field}: " if refused.field else f"{place}: "


_FIELDED = (RefusedEdit, InvalidText)
"""Errors whose own place is the field."""
_CODES: Mapping[type[TwinpressError], str] = {
    InvalidText: "INVALID_BODY",
    FileNameTaken: "PATH_CONFLICT",
    RefusedEdit: "REVISION_MISMATCH",
    TooMuchToChange: "BODY_TOO_LARGE",
    NothingToMove: "PAGE_NOT_FOUND",
    RefusedMove: "PATH_CONFLICT",
    OwnersRedirect: "OWNER_ONLY",
    OwnersNavigation: "OWNER_ONLY",
    RefusedRedirect: "PATH_CONFLICT",
    InvalidNavigation: "INVALID_BODY",
    InvalidSettings: "PATH_CONFLICT",
}


def _code(error: TwinpressError) -> str:
    known = next((code for kind, code in _CODES.items() if isinstance(error, kind)), None)
    return known or failure_of(error).code


def step_of(change: AnyChange | PageEdits | MovePage, place: str = "") -> Step:
    """Return the operation that a client has asked for. Raises Failure for an edit that is none."""
    match change:
        case WriteChange():
            return WriteStep(
                change.path,
                change.format,
                change.frontmatter,
                change.body,
                change.llmBody,
                change.if_match,
                change.create_only,
            )
        case PageEdits():
            edits = tuple(_edit(edit, f"{place}edits[{at}]") for at, edit in enumerate(change.edits))
            return EditStep(change.path, edits, change.frontmatter, change.if_match)
        case DeleteChange():
            return DeleteStep(change.path, change.if_match, change.redirect)
        case MovePage():
            if_match = change.if_match if isinstance(change, MoveChange) else None
            return MoveStep(change.from_, change.to, change.redirect, if_match)
        case CategoryChange():
            return CategoryStep(change.path, change.given)
        case DeleteCategoryChange():
            return DeleteCategoryStep(change.path)
        case AddRedirectChange():
            return RedirectStep(change.from_, change.to)
        case DeleteRedirectChange():
            return RedirectStep(change.from_, None)
        case NavigationChange():
            return NavigationStep(given_fields(change), change.if_match)


def _edit(edit: TextEdit, place: str) -> TextReplacement | LineReplacement:
    by_text, by_lines = (edit.old, edit.new), (edit.from_line, edit.to_line, edit.text)
    given = [value is not UNSET for value in (*by_text, *by_lines)]
    if given == [True, True, False, False, False]:
        return TextReplacement(str(edit.old), str(edit.new), edit.replace_all, edit.part)
    if given != [False, False, True, True, True] or edit.replace_all:
        message = "give `old` and `new`, or `from_line`, `to_line` and `text`"
        raise Failure("INVALID_BODY", f"{place}: {message}")
    first, last = int(edit.from_line or 0), int(edit.to_line or 0)
    return LineReplacement(first, last, str(edit.text), edit.part)
