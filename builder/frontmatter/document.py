"""A page in its parts, and what is said where one of them could not be read."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.frontmatter.meta import Meta


class Document(Struct, frozen=True):
    """A page's source in its parts.

    `frontmatter` holds what JSON can hold, in the order of the file, unknown keys too. `body` is the text
    after the block, and `first_line` the line (from 1) of the file at which it begins. `head` is the block as
    it was written, when all but the body comes from it alone.
    """

    frontmatter: dict[str, object]
    meta: Meta
    body: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...] = ()
    head: str = ""


def withholding(found: Diagnostic, *, draft: bool) -> Diagnostic:
    """Return a diagnostic as it stands; with `draft` it adds that the page is not published."""
    message = f"{found.message}; a build leaves this page out, as it may be a draft"
    return replace(found, message=message) if draft else found
