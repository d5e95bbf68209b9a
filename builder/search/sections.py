"""A rendered body as sections of plain text, cut where the table of contents has its entries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from builder.commonmark.toc import TocEntry
from builder.lazy import lazy

Section = tuple[str, str, str]
"""Anchor, heading and text; what comes before the first heading has neither of the first two."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_ID = lazy(r' id="([^"]*)"')
_NAME = lazy("<([a-z][a-z0-9]*)[^>]*")
_INSIDE = r"(?:[^>\"]++|\"[^\"]*+\")*>"
_DROPPED = lazy(r"<(svg|script|style|iframe)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_NOTE = lazy(rf'<sup class="tp-footnote-ref">.*?</sup>| ?<a class="tp-footnote-back"{_INSIDE}[^<]*</a>')
"""The number of a footnote, which would stick to its word, and the way back to it."""
_INLINE = lazy(
    r"</?(?:span|code|a|em|strong|abbr|b|bdi|bdo|cite|del|dfn|i|ins|kbd|mark|q|s|samp|small|sub|sup|u|var|wbr)"
    rf"(?=[\s>/]){_INSIDE}"
)
_TAG = lazy(rf"</?[a-zA-Z]{_INSIDE}")


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
    markup = _NOTE.sub("", markup) if "tp-footnote-ref" in markup else markup
    bare = _DROPPED.sub(" ", markup) if "<svg" in markup or "<!--" in markup or "<i" in markup else markup
    return " ".join(html.unescape(_TAG.sub(" ", _INLINE.sub("", bare.replace("</span>", "")))).split())


def _entries(body: str, toc: tuple[TocEntry, ...]) -> Iterator[tuple[TocEntry, int, int]]:
    """Each entry with the place where its section's heading begins, and where its text does.

    The page's own heading at its very beginning is the page, not a section of it.
    """
    wanted = {entry.id: entry for entry in toc}
    for found in _ID.finditer(body):
        before = body.rfind("<", 0, found.start())
        tag = _NAME.fullmatch(body, before, found.start())
        entry = wanted.pop(html.unescape(found[1]), None) if tag else None
        if tag is None or entry is None:
            continue
        end = body.find(f"</{tag[1]}>", found.end()) if tag[1] in HEADINGS else -1
        after = end + len(tag[1]) + 3 if end >= 0 else before
        if entry.level > 1 or body[:before].strip():
            yield entry, before, after
