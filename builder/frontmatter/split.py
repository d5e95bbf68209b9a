"""Split a page into its frontmatter and its body. Total: whatever the text, there is a document.

    block     = "---" EOL  yaml  "---" EOL  [separator]      at the very beginning, after a byte order mark
    separator = a line with nothing but spaces and tabs

One separator belongs to the block, so that the body of a page begins with its first line of text.
"""

from __future__ import annotations

import re

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.frontmatter.document import Document, withholding
from builder.frontmatter.meta import FIELDS, Meta, says_draft
from builder.lazy_regex import lazy
from builder.yaml.positions import place

BOM = "\ufeff"
MAX_TEXT = 64 * 1024
"""Characters of a block that are read, those that aliases repeat included."""

_EOL = r"(?:\r\n|\n|\r)"
_OPEN = lazy(rf"---[ \t]*{_EOL}")
_CLOSE = lazy(rf"(?<=[\r\n])---[ \t]*(?:{_EOL}|\Z)")
_FIRST_CRLF = lazy(r"[^\r\n]*\r\n")
_SEPARATOR = lazy(rf"[ \t]*{_EOL}")


class BlockBounds(Struct, frozen=True):
    """Indexes into the page's text: `yaml` to `close` is the YAML, `body` is where the body begins."""

    yaml: int
    close: int
    body: int


def find(text: str) -> BlockBounds | None:
    """The block that `text` (without its byte order mark) begins with, whatever is in it, or None."""
    opening = _OPEN.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return None
    separator = _SEPARATOR.match(text, closing.end())
    return BlockBounds(opening.end(), closing.start(), separator.end() if separator else closing.end())


def opens(text: str) -> int:
    """The index after an opening line, 0 when there is none."""
    opening = _OPEN.match(text)
    return opening.end() if opening else 0


def newline(text: str) -> str:
    """Return the line end for a text like this one: that of its first line, but never the old Mac style."""
    return "\r\n" if _FIRST_CRLF.match(text) else "\n"


_FIELD = lazy(r"""\s*["']?[\w-]+["']?[^\S\r\n]*[:=]""")
_CODE = lazy(r"^[^\S\r\n]*(?:```|~~~)", re.MULTILINE)


def split(text: str, file: str, before: Document | None = None) -> Document:
    """The parts of a page; `file` is for the diagnostics, `before` what it was until now, if that is known.

    A block that is a mapping, or has nothing in it, is frontmatter. One that is no YAML is left out with a
    `frontmatter-invalid`. Anything else between two `---` lines is text of the page.
    """
    text = text.removeprefix(BOM)
    block = find(text)
    if block is None:
        return _without_block(text, file)
    if before is not None and before.head and before.head == text[: block.body]:
        return before.with_body(text[block.body :])
    # What reads YAML takes long to load, and whoever edits a page mostly edits its text.
    from builder.frontmatter import read_block  # noqa: PLC0415

    return read_block.read(text, block, file)


def _without_block(text: str, file: str) -> Document:
    """A page that does not begin with a block. One after empty lines was meant to be its frontmatter."""
    late = text.lstrip()
    block = find(late) if late != text else None
    yaml = late[block.yaml : block.close] if block else ""
    if not says_draft(yaml) and not any(line.partition(":")[0] in FIELDS for line in yaml.splitlines()):
        return _unclosed(text, late, file)
    line, _ = place(text, len(text) - len(late))
    message, hint = "the frontmatter does not begin on the first line", "delete the empty lines before it"
    found, draft = Diagnostic(file, line, 1, "frontmatter-invalid", message, hint), says_draft(yaml)
    return Document({}, Meta(draft=draft), text, 1, (withholding(found, draft=draft),))


def _unclosed(text: str, late: str, file: str) -> Document:
    """A page may begin with a rule; one followed by a frontmatter field was meant to be frontmatter."""
    start = opens(late)
    name, colon, _ = late[start : start + 80].partition(":")
    meant = late[start : start + MAX_TEXT] if start and _FIELD.match(late, start) else ""
    draft = says_draft(_CODE.split(meant, maxsplit=1)[0])
    if not draft and (late != text or not start or not colon or name not in FIELDS):
        return Document({}, Meta(), text, 1)
    line, _ = place(text, len(text) - len(late))
    message, hint = "the frontmatter has no closing `---`", "add a line `---` after the last field"
    found = Diagnostic(file, line, 1, "frontmatter-invalid", message, hint)
    return Document({}, Meta(draft=draft), text, 1, (withholding(found, draft=draft),))
