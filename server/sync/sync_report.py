"""The outcome of a push or pull, as values: the changes made, and what is left to decide."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

Action = Literal["created", "replaced", "deleted", "set"]
Kind = Literal["page", "category"]


class Done(Struct, frozen=True):
    """One change that was made, or would be; of a category, `fields` were set."""

    path: str
    action: Action
    kind: Kind = "page"
    fields: tuple[str, ...] = ()


class Conflict(Struct, frozen=True):
    """A page or category that was changed on both sides, and is as it was on both."""

    path: str
    message: str
    kind: Kind = "page"
    diff: str = ""


class Refused(Struct, frozen=True):
    """One change that could not be made: by a `code` of the API, or none where the folder refuses."""

    path: str
    message: str
    code: str = ""


class Said(Struct, frozen=True):
    """A diagnostic of the service, in terms of the folder's files."""

    code: str
    level: str
    file: str
    line: int
    column: int
    message: str
    hint: str = ""


class SyncReport(Struct):
    """Collects while a push or pull goes on. `again` is what was only changed on the other side."""

    done: list[Done] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    said: dict[str, list[Said]] = field(default_factory=dict)
    """By the page that was sent."""
    other: list[str] = field(default_factory=list)
    """Pages and categories that only the other side has changed."""
    unpruned: list[str] = field(default_factory=list)
    """Those that were removed on one side, and stay on the other without `--prune`."""
    unread: dict[str, str] = field(default_factory=dict)
    """Those that could not be compared, and why."""
    stayed: list[str] = field(default_factory=list)
    """Files of the folder that do not travel."""
    lacks_settings: bool = False
    """True if the folder that was pulled into has no `site.yml`."""
    unmatched: list[str] = field(default_factory=list)
    """Paths that were chosen for a side, and are no conflicts."""

    @property
    def is_complete(self) -> bool:
        """True if nothing waits for a decision."""
        return not (self.conflicts or self.refused)
