"""A rendered body as sections of plain text, cut where the table of contents has its entries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from builder.lazy_regex import lazy
from builder.markdown.commonmark.toc import TocEntry

Section = tuple[str, str, str]
"""Anchor, heading and text; what comes before the first heading has neither of the first two."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_ID = lazy(r' id="([^"]*)"')
_NAME = lazy("<([a-z][a-z0-9]*)[^>]*")
_INSIDE = r"(?:[^>\"]++|\"[^\"]*+\")*>"
_DROPPED = lazy(r"<(svg|script|style|iframe)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_NOTE = lazy(rf'<sup class="tp-footnote-ref">.*?</sup>| ?<a class="tp-footnote-back"{_INSIDE}[^<]*</a>')
"""The number of a footnote, which would stick to its word, and the way back to it."""
_TAG = lazy(r'</?([a-zA-Z][^\s>/"]*+)[^>"]*+(?:"[^"]*+"[^>"]*+)*>')
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
})  # fmt: skip
"""Elements that stand within words."""
_DROPPED_WHOLE = frozenset({"svg", "script", "style", "iframe"})


class _Breaks(dict[str, str]):
    """What stands for the tags of each element; filled as they are met."""

    def __missing__(self, name: str) -> str:
        found = self[name] = "" if name in _INLINE else " "
        return found


_BREAKS = _Breaks()


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
    # Half of all tags are ends of colours, and quicker gone so.
    parts = _TAG.split(markup.replace("</span>", ""))
    if "<!" in markup or "tp-footnote-" in markup or not _DROPPED_WHOLE.isdisjoint(parts[1::2]):
        parts = _TAG.split(_DROPPED.sub(" ", _NOTE.sub("", markup)))
    parts[1::2] = map(_BREAKS.__getitem__, parts[1::2])
    return " ".join(html.unescape("".join(parts)).split())


def _entries(body: str, toc: tuple[TocEntry, ...]) -> Iterator[tuple[TocEntry, int, int]]:
    """Each entry with the place where its section's heading begins, and where its text does.

    The page's own heading at its very beginning is the page, not a section of it.
    """
    wanted = {entry.id: entry for entry in toc}
    begin = len(body) - len(body.lstrip())
    for found in _ID.finditer(body):
        before = body.rfind("<", 0, found.start())
        tag = _NAME.fullmatch(body, before, found.start())
        entry = wanted.pop(html.unescape(found[1]), None) if tag else None
        if tag is None or entry is None:
            continue
        end = body.find(f"</{tag[1]}>", found.end()) if tag[1] in HEADINGS else -1
        after = end + len(tag[1]) + 3 if end >= 0 else before
        if entry.level > 1 or before > begin:
            yield entry, before, after
