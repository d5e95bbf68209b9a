"""A rendered body as sections of plain text, cut where the table of contents has its entries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from builder.commonmark.headings import TocEntry

Section = tuple[str, str, str]
"""Anchor, heading and text; what comes before the first heading has neither of the first two."""

_ID = re.compile(r'<([a-z][a-z0-9]*)\b[^<>]*? id="([^"]*)"')
_INSIDE = r"(?:[^>\"]|\"[^\"]*\")*>"
_DROPPED = re.compile(r"<(svg|script|style|iframe)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)"
    rf"(?=[\s>/]){_INSIDE}"
)
_TAG = re.compile(rf"</?[a-zA-Z]{_INSIDE}")


def sections(body: str, toc: tuple[TocEntry, ...]) -> tuple[Section, ...]:
    """The sections of a body's HTML, in order; first what stands above the first entry, even if empty."""
    found: list[Section] = []
    anchor, heading, start = "", "", 0
    for entry, before, after in _entries(body, toc):
        found.append((anchor, heading, text(body[start:before])))
        anchor, heading, start = entry.id, entry.label, after
    found.append((anchor, heading, text(body[start:])))
    return tuple(found)


def text(markup: str) -> str:
    """What a reader sees of HTML, on one line."""
    bare = _DROPPED.sub(" ", markup) if "<svg" in markup or "<!--" in markup or "<i" in markup else markup
    return " ".join(html.unescape(_TAG.sub(" ", _INLINE.sub("", bare))).split())


def _entries(body: str, toc: tuple[TocEntry, ...]) -> Iterator[tuple[TocEntry, int, int]]:
    """Each entry with the place where its section's heading begins, and where its text does.

    The page's own heading at its very beginning is the page, not a section of it.
    """
    wanted = {entry.id: entry for entry in toc}
    for tag in _ID.finditer(body):
        entry = wanted.pop(html.unescape(tag[2]), None)
        if entry is None:
            continue
        end = body.find(f"</{tag[1]}>", tag.end()) if re.fullmatch("h[1-6]", tag[1]) else -1
        after = end + len(tag[1]) + 3 if end >= 0 else tag.start()
        if entry.level > 1 or body[: tag.start()].strip():
            yield entry, tag.start(), after
