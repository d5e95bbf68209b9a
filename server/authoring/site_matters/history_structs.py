"""Typed structs of requests and answers about the history of changes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from server.authoring.structs import PATH_SCHEMA

MOST_CHANGES, MOST_FILES, MOST_UNDONE = 50, 100, 100

ChangeId = Annotated[
    str,
    Meta(
        description="Names a change: 40 hexadecimal digits, of which the first 10 do.", pattern=r"^[0-9a-f]*$"
    ),
]
Author = Literal["this key", "another key", "the owner"]


class HistoryQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The changes that are asked for."""

    path: Annotated[
        str,
        Meta(
            description="A page or a folder by its content path, or `site.yml` or `sidebar.yml`. Without it, "
            "the changes of this key are listed.",
            extra_json_schema={"anyOf": [PATH_SCHEMA, {"enum": ["", "site.yml", "sidebar.yml"]}]},
        ),
    ] = ""
    cursor: Annotated[
        ChangeId | None, Meta(description="`next_cursor` of the answer before; without it the list begins.")
    ] = None


class FileChange(Struct, frozen=True):
    """A file of a change."""

    file: Annotated[str, Meta(description="Its name, from the site's folder.")]
    change: Literal["added", "changed", "removed"]


class HistoryChange(Struct, frozen=True):
    """One change of the site."""

    id: ChangeId
    time: Annotated[str, Meta(description="When it was made, ISO 8601 in UTC.")]
    act: Annotated[
        str, Meta(description="`change`, `undo`, `restore` and others; `outside` for a save of an editor.")
    ]
    by: Annotated[Author, Meta(description="Who made it. Of other keys, neither name nor id is told.")]
    label: Annotated[str, Meta(description="The label of this key where it made the change, else empty.")]
    files: Annotated[list[FileChange], Meta(description="Its files, 100 at most; with `path`, those of it.")]
    more_files: Annotated[int, Meta(description="How many others there are.")]
    can_undo: Annotated[bool, Meta(description="Whether this key made it, and nobody has undone it.")]


class HistoryPart(Struct, frozen=True):
    """Changes, the last first."""

    changes: list[HistoryChange]
    next_cursor: Annotated[str | None, Meta(description="The cursor of older ones, null at the end.")]


class UndoChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """Which changes of this key to undo: one of the three fields."""

    change: Annotated[ChangeId | None, Meta(description="One change by its id.")] = None
    last: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_UNDONE)] | None,
        Meta(description="The last ones that are not undone yet."),
    ] = None
    all: Annotated[bool, Meta(description="All that are not undone yet.")] = False


class UndoResult(Struct, frozen=True):
    """What was undone."""

    applied: Annotated[bool, Meta(description="False when `dry_run` was asked for, or nothing is to do.")]
    undone: Annotated[list[ChangeId], Meta(description="The changes that are undone, the last first.")]
    changed: Annotated[list[str], Meta(description="Files that are as they were before.")]
    removed: Annotated[list[str], Meta(description="Files that had been created, and are gone.")]
    change: Annotated[
        ChangeId | None, Meta(description="The undo as a change of its own, which can be undone too.")
    ]
