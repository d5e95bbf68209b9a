"""A page as both sides of a push see it: what GET gives and PUT takes.

What has the same digest is the same page. The order of fields and how they were written in YAML are not part
of it, as they do not travel.
"""

from __future__ import annotations

import hashlib

import msgspec

from builder.frontmatter.join import join, left_out, rescue
from builder.frontmatter.split import split
from builder.store import Source
from server.authoring.compose import page_of
from server.authoring.structs import Page

_DIGEST = 16
"""Bytes."""
_ENCODER = msgspec.json.Encoder(order="deterministic")


def page_digest(page: Page) -> str:
    """The name of a page's content, 32 hexadecimal digits: format, fields, body and twin."""
    told = _ENCODER.encode((page.format, page.frontmatter, page.body, page.llmBody))
    return hashlib.blake2b(told, digest_size=_DIGEST).hexdigest()


def untold(source: Source) -> str:
    """Return what is in a page's file and not in what GET gives of it, or an empty string.

    Whoever sends such a page loses that part, without having been asked.
    """
    unread = next((found for found in source.diagnostics if found.code == "page-encoding"), None)
    if unread is not None:
        return f"{unread.message}: {unread.hint}"
    if not split(source.text, source.file).diagnostics:
        return ""
    fault = rescue(source.text).fault
    lost = [where or reason for where, reason in left_out(source.text)]
    return f"its frontmatter cannot be read: {fault or lost[0]}" if fault or lost else ""


def text_of(page: Page, old: str = "") -> str:
    """The text of a page that GET gave, with as little change to the `old` one as can be.

    Raises ValueError when no text reads as this page, or one of its values cannot be written.
    """
    sent = split(page.body, "body")
    text = join({**sent.frontmatter, **page.frontmatter}, sent.body, old)
    now = page_of(Source(page.path, page.format, text, page.llmBody, "", ""))
    if page_digest(now) != page_digest(page):
        raise ValueError("no file reads as what the service gave")
    return text
