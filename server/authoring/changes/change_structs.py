"""Typed structs of changes of several pages at once, of edits and of moves, as clients send them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from server.authoring.field_types import FolderPath, NewFrontmatter, PagePath
from server.authoring.site_matters.navigation_structs import ChangeNavigation
from server.authoring.structs import PutCategory, PutPage

MOST_CHANGES = 200
"""Operations in one body."""
MOST_MOVES = 20
"""Of those, moves: each looks through the whole site for links."""
MOST_EDITS = 200
"""Edits of one page."""
_MESSAGE, _ADDRESS = 300, 2_000
"""Characters of a message, and of an address or a path."""

_PLACE_SCHEMA: dict[str, Any] = {
    "format": "content-path",
    "pattern": "^(docs(/[^/]+){1,8}/?|pages/[^/]+)$",
}

IfMatch = Annotated[
    str | None,
    Meta(
        description="Only if the page has this `revision` before the whole change; `*` stands for any. "
        "Else nothing is changed."
    ),
]
EditPart = Annotated[
    Literal["body", "llmBody"], Meta(description="The text that is edited: the page's, or its twin's.")
]


class TextEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """One edit of a text: of `old` to `new`, or of the lines `from_line` to `to_line` to `text`.

    Lines count from 1 in the text as it was read, before all edits of the same list. A `to_line` that is one
    less than `from_line` inserts before that line. Edits of `old` come after those of lines, one after the
    other.
    """

    old: Annotated[
        str | UnsetType,
        Meta(
            description="The exact text to replace. It must stand there once, unless `replace_all` is true."
        ),
    ] = UNSET
    new: Annotated[str | UnsetType, Meta(description="The text in its place.")] = UNSET
    replace_all: Annotated[bool, Meta(description="Replace `old` wherever it stands.")] = False
    from_line: Annotated[
        int | UnsetType, Meta(description="The first line to replace.", extra_json_schema={"minimum": 1})
    ] = UNSET
    to_line: Annotated[
        int | UnsetType, Meta(description="The last line to replace.", extra_json_schema={"minimum": 0})
    ] = UNSET
    text: Annotated[str | UnsetType, Meta(description="The lines in their place; empty deletes them.")] = (
        UNSET
    )
    part: EditPart = "body"


Edits = Annotated[
    list[TextEdit],
    Meta(description="The edits. Those of lines need `if_match`.", max_length=MOST_EDITS),
]
MergedFrontmatter = Annotated[
    NewFrontmatter, Meta(description="Fields to set; `null` removes one, and all others stay.")
]


Outline = Annotated[
    bool,
    Meta(
        description="Give a short outline of each page as it is rendered after the change, or would be with "
        "`dry_run`."
    ),
]


class PageEdits(Struct, frozen=True, forbid_unknown_fields=True):
    """Edits of one page, which keep every other byte of its file."""

    path: PagePath
    edits: Edits = msgspec.field(default_factory=list)
    frontmatter: MergedFrontmatter = msgspec.field(default_factory=dict)
    if_match: IfMatch = None


class EditPage(PageEdits, frozen=True, forbid_unknown_fields=True):
    """Edits of one page, and whether its outline is wanted."""

    outline: Outline = False


class MovePage(Struct, frozen=True, forbid_unknown_fields=True):
    """A page or a folder that gets another path, with links that lead to it and a redirect."""

    from_: Annotated[
        str,
        Meta(
            description="The page, or the folder, as it is called now: `docs/guide/install`.",
            extra_json_schema=_PLACE_SCHEMA,
            max_length=_ADDRESS,
        ),
    ] = msgspec.field(name="from")
    to: Annotated[
        str,
        Meta(
            description="Its new path. With `/` at its end, the folder that it moves into.",
            extra_json_schema=_PLACE_SCHEMA,
            max_length=_ADDRESS,
        ),
    ]
    redirect: Annotated[
        bool, Meta(description="Whether the old address leads to the new one from now on.")
    ] = True


class WriteChange(PutPage, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="write"):
    """Write a whole page, as PUT does: what is left out is removed."""

    if_match: IfMatch = None
    create_only: Annotated[bool, Meta(description="Only if there is no such page yet.")] = False


class EditChange(PageEdits, frozen=True, tag_field="op", tag="edit"):
    """Edit a page; see `POST /ai/edit`."""


class DeleteChange(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="delete"):
    """Delete a page with its twin."""

    path: PagePath
    if_match: IfMatch = None
    redirect: Annotated[
        Annotated[str, Meta(min_length=1, max_length=_ADDRESS)] | None,
        Meta(
            description="An address that the page's leads to from then on: of a page that is there after the "
            "whole change. Without it readers of old links find nothing."
        ),
    ] = None


class MoveChange(MovePage, frozen=True, tag_field="op", tag="move"):
    """Move a page or a folder; see `POST /ai/move`."""

    if_match: IfMatch = None


class CategoryChange(PutCategory, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="category"):
    """Set label, position and state of a folder in the sidebar; `null` clears a field, others stay."""


class DeleteCategoryChange(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="delete_category"
):
    """Remove all that was said of a folder in the sidebar. Its pages stay."""

    path: FolderPath


class AddRedirectChange(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="redirect"):
    """Lead from an address without a page to another place."""

    from_: Annotated[
        str, Meta(description="The old address, from the site's root: `/docs/old`.", max_length=_ADDRESS)
    ] = msgspec.field(name="from")
    to: Annotated[str, Meta(description="The address that it leads to.", max_length=_ADDRESS)]


class DeleteRedirectChange(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="delete_redirect"
):
    """Remove a redirect."""

    from_: Annotated[str, Meta(description="The old address.", max_length=_ADDRESS)] = msgspec.field(
        name="from"
    )


class NavigationChange(
    ChangeNavigation, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="navigation"
):
    """Change the header, the footer or the sidebar, where the key may; see `PUT /ai/navigation`."""


AnyChange = (
    WriteChange
    | EditChange
    | DeleteChange
    | MoveChange
    | CategoryChange
    | DeleteCategoryChange
    | AddRedirectChange
    | DeleteRedirectChange
    | NavigationChange
)


class ApplyChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """Several operations as one change, made whole or not at all. Each sees what those before it did."""

    changes: Annotated[
        list[AnyChange],
        Meta(
            description="The operations, in their order, each with its `op` and the fields of that. At most "
            f"{MOST_MOVES} are moves.",
            min_length=1,
            max_length=MOST_CHANGES,
        ),
    ]
    message: Annotated[
        str, Meta(description="One line for the site's history: the aim of the change.", max_length=_MESSAGE)
    ] = ""
    outline: Outline = False
