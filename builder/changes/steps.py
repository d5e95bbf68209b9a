"""The operations of a change, as values. Each is applied to what those before it have made of the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from builder.paths import Format

EditedPart = Literal["body", "llmBody"]


class WriteStep(Struct, frozen=True):
    """Write a whole page; with `create_only` there must be none before the change.

    `if_match` is the revision that the page must have before the change, here and elsewhere.
    """

    path: str
    format: Format
    frontmatter: Mapping[str, object]
    body: str
    twin: str | None = None
    if_match: str | None = None
    create_only: bool = False


class TextReplacement(Struct, frozen=True):
    """Replace an exact text, which stands there once, or `everywhere`."""

    old: str
    new: str
    everywhere: bool = False
    part: EditedPart = "body"


class LineReplacement(Struct, frozen=True):
    """Replace the lines `first` to `last`, from 1; with a `last` before `first`, insert before that."""

    first: int
    last: int
    text: str
    part: EditedPart = "body"


class EditStep(Struct, frozen=True):
    """Edit a page's texts, and set fields of its frontmatter; None removes one."""

    path: str
    edits: tuple[TextReplacement | LineReplacement, ...] = ()
    frontmatter: Mapping[str, object] = {}
    if_match: str | None = None


class DeleteStep(Struct, frozen=True):
    """Delete a page with its twin; its address leads to `redirect` then, if there is one."""

    path: str
    if_match: str | None = None
    redirect: str | None = None


class MoveStep(Struct, frozen=True):
    """Move a page or a folder; links to it follow, and with `redirect` its old addresses lead to the new."""

    old: str
    new: str
    redirect: bool = True
    if_match: str | None = None


class CategoryStep(Struct, frozen=True):
    """Set fields of a folder's category; None clears one."""

    path: str
    changes: Mapping[str, object]


class DeleteCategoryStep(Struct, frozen=True):
    """Remove the category file of a folder."""

    path: str


class RedirectStep(Struct, frozen=True):
    """Lead from an address to another place, or, where `new` is None, nowhere any more."""

    old: str
    new: str | None


class NavigationStep(Struct, frozen=True):
    """Set `nav`, `footer` or `sidebar` in the settings; None removes one.

    `if_match` is the revision that the files of the settings must have before the change.
    """

    fields: Mapping[str, object]
    if_match: str | None = None


class PutBackStep(Struct, frozen=True):
    """Put files back as they were, by their names on disk; None for one that was not there.

    They may have another `navigation` than there is now, or none but by links to what is put back.
    """

    files: Mapping[str, bytes | None]
    navigation: bool = False


Step = (
    WriteStep
    | EditStep
    | DeleteStep
    | MoveStep
    | CategoryStep
    | DeleteCategoryStep
    | RedirectStep
    | NavigationStep
    | PutBackStep
)
