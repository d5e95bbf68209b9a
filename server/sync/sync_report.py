"""The outcome of a push or pull, as values: the changes made, and what is left to decide."""

from __future__ import annotations

import difflib
from typing import Literal

from msgspec import Struct, field

from builder.paths import TWIN_SUFFIX
from builder.store import Source
from server.authoring.structs import Page
from server.sync.page_content import text_of

Action = Literal["created", "replaced", "deleted", "set"]
Kind = Literal["page", "category"]


class Done(Struct, frozen=True):
    """One change that was made, or would be; of a category, `fields` were set."""

    path: str
    action: Action
    kind: Kind = "page"
    fields: tuple[str, ...] = ()


class SyncConflict(Struct, frozen=True):
    """A page or category that was changed on both sides, and is as it was on both."""

    path: str
    message: str
    kind: Kind = "page"
    diff: str = ""


class RefusedPage(Struct, frozen=True):
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
    conflicts: list[SyncConflict] = field(default_factory=list)
    refused: list[RefusedPage] = field(default_factory=list)
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


Towards = Literal["ours", "theirs"]
NOWHERE = "/dev/null"


def page_diff(path: str, ours: Source | None, theirs: Page | None, towards: Towards) -> str:
    """The difference of a page and its twin: `ours` is the folder's, `theirs` the service's."""
    here = None if ours is None else ours.text
    there = None if theirs is None else _text(theirs, here or "")
    twins = ours.twin if ours else None, theirs.llmBody if theirs else None
    names = ours.file if ours else "", f"{path}.{theirs.format}" if theirs else ""
    parts = [_diff(names, (here, there), towards)]
    if twins != (None, None):
        parts.append(_diff((path + TWIN_SUFFIX, path + TWIN_SUFFIX), twins, towards))
    return "".join(parts)


def _text(page: Page, ours: str) -> str:
    """The page as a file; its body alone where no file says the same."""
    try:
        return text_of(page, ours)
    except ValueError:
        return page.body


def _diff(names: tuple[str, str], texts: tuple[str | None, str | None], towards: Towards) -> str:
    """One file. The sides come in the order ours, theirs."""
    if texts[0] == texts[1] and names[0] == names[1]:
        return ""
    titles = [
        NOWHERE if text is None else f"{name} ({side})"
        for name, text, side in zip(names, texts, ("ours", "theirs"), strict=True)
    ]
    old, new = (1, 0) if towards == "ours" else (0, 1)
    lines = [*difflib.unified_diff(_lines(texts[old]), _lines(texts[new]), titles[old], titles[new])]
    if not lines:
        lines = [f"--- {titles[old]}\n", f"+++ {titles[new]}\n"]  # the same text under another name
    return "".join(_ended(line) for line in lines)


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
