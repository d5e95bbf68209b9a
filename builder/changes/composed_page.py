"""The text of a page that is written, with as little change to what was there before as can be."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.changes import frontmatter_merge
from builder.changes.frontmatter_merge import Unasked
from builder.errors import TwinpressError
from builder.frontmatter import Document, split
from builder.frontmatter.meta import misfit
from builder.frontmatter.split import BOM, find
from builder.store import Source

_NO_FIELDS = "---\n---\n"


class InvalidText(TwinpressError):
    """A page's text, or its frontmatter, cannot be stored, or is none that a page may have."""


class Composed(Struct, frozen=True):
    """The text to be stored.

    `sent_line` is the line of the sent body, and `file_line` that of the text, where the markdown begins.
    `changes` are what was done to the frontmatter that the request does not say.
    """

    text: str
    sent_line: int
    file_line: int
    changes: tuple[Unasked, ...] = ()


def given_body(source: Source) -> str:
    """Return the body of a page as clients are given it.

    A body that itself begins like frontmatter, or with a byte order mark, is given with an empty block before
    it; else that would be taken for the page's own when it comes back.
    """
    body = split(source.text, source.file).body
    ambiguous = body.startswith(BOM) or find(body) is not None
    return _NO_FIELDS + body if ambiguous else body


def compose(
    frontmatter: Mapping[str, object], body: str, previous: Source | None, unseen: str = ""
) -> Composed:
    """The source of a page that was sent, with as little change to the `previous` one as can be.

    `unseen` is how the previous page begins if that is too large to be given. Raises InvalidText for
    frontmatter that cannot be stored or that no page may have.
    """
    sent = split(body, "body")
    unreadable = next((one for one in sent.diagnostics if one.code == "frontmatter-invalid"), None)
    if unreadable is not None and not (previous and body == given_body(previous)):
        message = f"body: line {unreadable.line}: {unreadable.message}"
        raise InvalidText(f"{message} ({unreadable.hint})" if unreadable.hint else message)
    values = {**sent.frontmatter, **frontmatter}
    old = unseen or (previous.text if previous else "")
    before = split(old, "")
    _check(values, before)
    mark = BOM if body.startswith(BOM) and not old.startswith(BOM) else ""
    try:
        joined = frontmatter_merge.join_all(values, sent.body, old, before, seen=not unseen)
    except ValueError as error:
        raise InvalidText(str(error)) from None
    text = mark + joined.text
    return Composed(text, sent.first_line, split(text, "").first_line, joined.changes)


def _check(values: Mapping[str, object], before: Document) -> None:
    """Raise InvalidText for a field of the wrong kind, unless it has been so in the page."""
    known = before.frontmatter
    for name, value in values.items():
        wrong = misfit(name, value)
        if wrong and not (name in known and known[name] == value):
            raise InvalidText(f"frontmatter.{name}: {wrong}")
