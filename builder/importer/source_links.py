"""Find the places of links and images in a page: where each destination stands, and how it is written.

    [text](destination "title")   ![alt](<destination>)   [label]: destination   <a href="destination">

Code is passed over. A destination of markdown is read as CommonMark has it: in angle brackets, or without
blanks and with its round brackets in pairs.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from urllib.parse import unquote

from msgspec import Struct

from builder.importer.pieces import SourceText

ATTRIBUTES = frozenset({"href", "src", "to", "poster", "data-src"})
"""Attributes of tags whose values are addresses."""
_INLINE = re.compile(r"(?P<image>!\[(?:[^\[\]]|\[[^\[\]]*\])*)?\]\(\s*")
_DEFINITION = re.compile(r"^[ ]{0,3}(?:> ?)*\[(?!\^)[^\]\n]+\]:[ \t]*\n?[ \t]*", re.MULTILINE)
_ANGLE = re.compile(r"<((?:[^<>\n\\]|\\.)*)>")
_SIMPLE = re.compile(r"(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*\))+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NEEDS_ANGLE = re.compile(r"[\s()<>]")


class FoundLink(Struct, frozen=True):
    """A destination, decoded, and where it is written; `is_attribute` in a tag, within its quotes."""

    start: int
    end: int
    href: str
    is_attribute: bool = False
    is_image: bool = False

    def written(self, href: str) -> str:
        """Return another destination as it is written in this place."""
        if self.is_attribute:
            return html.escape(href)
        return f"<{href}>" if _NEEDS_ANGLE.search(href) else href


def source_links(source: SourceText) -> Iterator[FoundLink]:
    """Yield the links of a text, those in tags first."""
    for piece in source.pieces:
        if piece.sort == "tag" and piece.tag is not None:
            for given in piece.tag.attributes:
                if given.name in ATTRIBUTES and isinstance(given.value, str) and not given.braced:
                    quoted = source.text[given.value_start] in "\"'"
                    start, end = given.value_start + quoted, given.value_end - quoted
                    is_image = piece.tag.name.casefold() in {"img", "source", "video"}
                    yield FoundLink(start, end, given.value, is_attribute=True, is_image=is_image)
    code = [piece for piece in source.pieces if piece.sort == "code"]
    starts = [piece.start for piece in code]
    for start, end in _spans(source):
        for pattern in (_INLINE, _DEFINITION):
            for found in pattern.finditer(source.text, start, end):
                before = bisect_right(starts, found.end() - 1) - 1
                if before >= 0 and found.end() - 1 < code[before].end:
                    continue
                link = _destination(source.text, found.end(), is_image=bool(found.groupdict().get("image")))
                if link is not None:
                    yield link


def _spans(source: SourceText) -> Iterator[tuple[int, int]]:
    """Yield the text between fences: a link may hold code, a tag or an expression."""
    pos = 0
    for piece in source.pieces:
        if piece.sort in {"fence", "comment", "statement"} and piece.start >= pos:
            yield pos, piece.start
            pos = piece.end
    yield pos, len(source.text)


def _destination(text: str, at: int, *, is_image: bool) -> FoundLink | None:
    found = _ANGLE.match(text, at)
    if found is None:
        found = _SIMPLE.match(text, at)
        if found is None:
            return None
    href = found[1] if found.re is _ANGLE else found[0]
    href = html.unescape(_ESCAPED.sub(r"\1", href))
    return FoundLink(found.start(), found.end(), href, is_image=is_image)


def parts_of(href: str) -> tuple[str, str]:
    """Part a destination in its decoded path, and the rest from `?` or `#` on."""
    end = min((at for sign in "?#" if (at := href.find(sign)) >= 0), default=len(href))
    return unquote(href[:end]), href[end:]
