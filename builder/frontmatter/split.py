"""Split a page into its frontmatter and its body. Total: whatever the text, there is a document."""

from __future__ import annotations

import re

from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.frontmatter.block import BOM, MAX_TEXT, find, opens
from builder.frontmatter.document import Document, withholding
from builder.frontmatter.meta import FIELDS, Meta, says_draft
from builder.lazy_regex import lazy
from builder.yaml.positions import place

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
        return replace(before, body=text[block.body :])
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
