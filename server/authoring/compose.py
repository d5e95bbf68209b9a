"""Between a page's source and the fields of the API, so that a PUT of what GET gave changes no byte."""

from __future__ import annotations

from builder.changes import composed_page as texts
from builder.changes.composed_page import Composed, InvalidText, given_body
from builder.frontmatter import split
from builder.store import Source
from server.authoring.structs import Page, PutPage
from server.http.failure import Failure


def page_of(source: Source) -> Page:
    """A page as GET gives it."""
    frontmatter = split(source.text, source.file).frontmatter
    return Page(source.path, source.format, frontmatter, given_body(source), source.twin)


def compose(put: PutPage, previous: Source | None, unseen: str = "") -> Composed:
    """The source of a page that was sent, with as little change to the `previous` one as can be.

    `unseen` is how the previous page begins if that is too large to be given.
    Raises Failure with `INVALID_BODY` for frontmatter that cannot be stored or that no page may have.
    """
    try:
        return texts.compose(put.frontmatter, put.body, previous, unseen)
    except InvalidText as error:
        raise Failure("INVALID_BODY", str(error)) from None
