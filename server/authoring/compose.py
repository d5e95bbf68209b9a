"""Between a page's source and the fields of the API, so that a PUT of what GET gave changes no byte."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.frontmatter import Document, split
from builder.frontmatter.meta import misfit
from builder.frontmatter.split import BOM, find
from builder.store import Source
from server.authoring import frontmatter_merge
from server.authoring.frontmatter_merge import Unasked
from server.authoring.structs import Page, PutPage
from server.http.failure import Failure

_NO_FIELDS = "---\n---\n"


def page_of(source: Source) -> Page:
    """A page as GET gives it.

    A body that itself begins like frontmatter, or with a byte order mark, is given with an empty block before
    it; else that would be taken for the page's own when it comes back.
    """
    document = split(source.text, source.file)
    ambiguous = document.body.startswith(BOM) or find(document.body) is not None
    body = _NO_FIELDS + document.body if ambiguous else document.body
    return Page(source.path, source.format, document.frontmatter, body, source.twin)


class Composed(Struct, frozen=True):
    """The text to be stored.

    `sent_line` is the line of the sent body, and `file_line` that of the text, where the markdown begins.
    `changes` are what was done to the frontmatter that the request does not say.
    """

    text: str
    sent_line: int
    file_line: int
    changes: tuple[Unasked, ...] = ()


def compose(put: PutPage, previous: Source | None, unseen: str = "") -> Composed:
    """The source of a page that was sent, with as little change to the `previous` one as can be.

    `unseen` is how the previous page begins if that is too large to be given.
    Raises Failure with `INVALID_BODY` for frontmatter that cannot be stored or that no page may have.
    """
    sent = split(put.body, "body")
    unreadable = next((one for one in sent.diagnostics if one.code == "frontmatter-invalid"), None)
    if unreadable is not None and not (previous and put.body == page_of(previous).body):
        message = f"body: line {unreadable.line}: {unreadable.message}"
        raise Failure("INVALID_BODY", f"{message} ({unreadable.hint})" if unreadable.hint else message)
    values = {**sent.frontmatter, **put.frontmatter}
    old = unseen or (previous.text if previous else "")
    before = split(old, "")
    _check(values, before)
    mark = BOM if put.body.startswith(BOM) and not old.startswith(BOM) else ""
    try:
        joined = frontmatter_merge.join_all(values, sent.body, old, before, seen=not unseen)
    except ValueError as error:
        raise Failure("INVALID_BODY", str(error)) from None
    text = mark + joined.text
    return Composed(text, sent.first_line, split(text, "").first_line, joined.changes)


def _check(values: Mapping[str, object], before: Document) -> None:
    """Raise Failure for a field of the wrong kind, unless it has been so in the page."""
    known = before.frontmatter
    for name, value in values.items():
        wrong = misfit(name, value)
        if wrong and not (name in known and known[name] == value):
            raise Failure("INVALID_BODY", f"frontmatter.{name}: {wrong}")
