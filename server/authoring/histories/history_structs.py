"""Typed structs of the site's history, and of undoing one's own changes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from server.authoring.changes.change_results import ChangedPage, ChangeEffects
from server.authoring.field_types import PATH_SCHEMA

MOST_ENTRIES = 100
"""Changes in one answer."""
MOST_FILES = 50
"""Files that are listed of one change."""
MOST_UNDONE = 50
"""Changes that are named in one undo."""

_ID = "^[0-9A-Fa-f]{10,40}$"
ChangeId = Annotated[
    str,
    Meta(
        description="The change's id, as the history and the answers of changes give it.",
        pattern=_ID,
    ),
]


class HistoryQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the history that is asked for."""

    path: Annotated[
        Annotated[str, Meta(min_length=1, extra_json_schema=PATH_SCHEMA)] | UnsetType,
        Meta(
            description="Content path of a page or a folder. Without it, the answer has all changes by "
            "your own key."
        ),
    ] = UNSET
    limit: Annotated[int, Meta(description="The most changes to list.", ge=1, le=MOST_ENTRIES)] = 20
    cursor: Annotated[
        Annotated[str, Meta(pattern="^[0-9a-f]{40}$")] | UnsetType,
        Meta(description="`next_cursor` of the answer before. New changes do not move it."),
    ] = UNSET


class HistoryFile(Struct, frozen=True):
    """A file of a change."""

    file: Annotated[str, Meta(description="The file's name, from the site's folder.")]
    path: Annotated[str | None, Meta(description="The content path of its page; null for a file of no page.")]
    kind: Annotated[
        Literal["created", "changed", "deleted"], Meta(description="The change of the file in a word.")
    ]


class PastChange(Struct, frozen=True):
    """One change of the site. Texts in it are content."""

    id: Annotated[str, Meta(description="Names the change, and never changes.")]
    time: Annotated[str, Meta(description="ISO 8601, in UTC.")]
    act: Annotated[
        str,
        Meta(
            description="The change in a word: `write`, `delete`, `category`, `changes` (of several), "
            "`move`, `redirect`, `undo`, `restore`, `import`, or `outside` for what an editor or another "
            "program has saved."
        ),
    ]
    by: Annotated[
        Literal["you", "the owner", "another key"],
        Meta(description="`you` is the key that asks; the owner includes all who write without a key."),
    ]
    message: Annotated[
        str | None, Meta(description="The message that `POST /ai/changes` was sent with; null without one.")
    ]
    undone: Annotated[bool, Meta(description="Whether it has been undone as a whole.")]
    files: Annotated[
        list[HistoryFile],
        Meta(description=f"Its files, those of `path` first. At most {MOST_FILES} are listed."),
    ]
    file_count: Annotated[int, Meta(description="The number of all its files.")]


class SiteHistory(Struct, frozen=True):
    """Changes of the site, newest first."""

    changes: Annotated[list[PastChange], Meta(description="The changes, newest first.")]
    next_cursor: Annotated[
        str | None,
        Meta(
            description="Give this as `cursor` for older changes; null at the end. An answer may have fewer "
            "changes than `limit`, or none, and lead on: each looks at a bounded part of the history."
        ),
    ]


class UndoChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """The changes of your own key to undo: one of the fields, or none for the last change."""

    change: Annotated[
        Annotated[str, Meta(pattern=_ID)] | UnsetType,
        Meta(description="The id of one change, which may be an undo."),
    ] = UNSET
    changes: Annotated[
        Annotated[list[ChangeId], Meta(min_length=1, max_length=MOST_UNDONE)] | UnsetType,
        Meta(description="The ids of several, in any order."),
    ] = UNSET
    last: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_UNDONE)] | UnsetType,
        Meta(description="The number of your last changes to undo; undone ones and undos do not count."),
    ] = UNSET
    all: Annotated[bool, Meta(description="Undo all that your key did and that is not undone.")] = False


class UndoResult(Struct, frozen=True):
    """The outcome of an undo, or with `dry_run` the outcome that it would have."""

    applied: Annotated[bool, Meta(description="False for a `dry_run`, which changes nothing.")]
    change: Annotated[
        str | None,
        Meta(
            description="The id of the undo itself, which can be undone too; null for a `dry_run`, or where "
            "nothing was left to undo."
        ),
    ]
    undone_changes: Annotated[
        list[str], Meta(description="The ids of the changes that it undoes, newest first.")
    ]
    pages: Annotated[
        list[ChangedPage], Meta(description="Every page that is another then, by path, restored or deleted.")
    ]
    files: Annotated[list[HistoryFile], Meta(description="Every file that is another then, by name.")]
    effects: Annotated[ChangeEffects, Meta(description="The effects on everything else.")]
