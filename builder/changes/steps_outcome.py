"""The outcome of operations: what they did to pages and links, or which one cannot be done."""

from __future__ import annotations

from msgspec import Struct

from builder.errors import TwinpressError
from builder.moves.rewritten_text import LeftLink

PAGE_ENCODING, PAGE_ENCODING_STAYS = "page-encoding", "page-encoding-stays"
"""Notes about a file that was no UTF-8: it is now, or is as it was as its text is the same."""


class RefusedStep(Exception):
    """Operation number `index` cannot be done; `field` says which part of it."""

    def __init__(self, index: int, field: str, error: TwinpressError) -> None:
        super().__init__(str(error))
        self.index, self.field, self.error = index, field, error


class PageNote(Struct, frozen=True):
    """Something that a write did to other files of its page, or unasked; `file` is the one it is about."""

    code: str
    file: str
    message: str = ""
    hint: str = ""


class SentText(Struct, frozen=True):
    """A page's body as it was sent or given: from line `sent_line` on it is the file from `file_line` on."""

    sent_line: int
    file_line: int
    notes: tuple[PageNote, ...] = ()


class AppliedSteps(Struct):
    """The outcome of the operations but for the files: pages that were touched, and what moves did.

    `texts` are of pages that were written or edited; `origins` has the path that a page had before the
    change, by the one it has now. `links` are numbers of links rewritten, by file. `replaced` are places that
    edits have changed, `fields` the fields of the frontmatter. `astray` are files with links that may have
    followed a page to where it was deleted.
    """

    touched: dict[str, None]
    texts: dict[str, SentText]
    origins: dict[str, str]
    links: dict[str, int]
    left: list[LeftLink]
    said: list[str]
    folders: dict[str, None]
    replaced: int = 0
    fields: tuple[str, ...] = ()
    astray: frozenset[str] = frozenset()
