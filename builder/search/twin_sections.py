"""The sections of a page as its twin has them: excerpts are cut from these where it has no file of its own.

`themes/default/ondemand/excerpts.js` does the same in the browser, so the expressions are those of both
languages. They know what twins usually have, and no more: `has_sections` tells whether a twin has the
headings and anchors of its page. Where it has others, the page keeps a file of its sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from builder.lazy_regex import lazy
from builder.markdown.commonmark.slug import slugify

Section = tuple[str, str, str]
"""Anchor, heading and text; what comes before the first heading has neither of the first two."""

_TITLE = "\n# "
_MARK = lazy(
    r"\n(?:#{2,4} ([^\n]{1,500})"
    r"|[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*))(?=\n)"
)
"""A heading; the line that begins or ends a block of code."""
_CODE_TITLE = lazy(r'title="([^"\n]*)"')
_RULES = lazy(r"\n[ \t>]*[|:=-][ \t|:=-]*(?=\n)")
_BEGINNINGS = lazy(r"\n(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]|#+ |\[[ xX]\] ))*[ \t]*\|?")
_CELLS = lazy(r" \|(?=[ \n])")
_SPACE = lazy(r"[ \t\n\r\f\v\u00a0\u2000-\u200a\u2028\u2029\u202f\u3000]+")
_SIGNS = lazy(r"[`\[\\<&*_~]")
_INLINE = lazy(
    r"(`+)([^`]+|[^`][\s\S]{0,500}?[^`])\1(?!`)"
    r"|\[\^[^\]\s]{1,99}\]:?"
    r"|!?\[([^\[\]`\\]*(?:(?:\\[\s\S]|`[^`]{0,500}`|!\[[^\]]{0,500}\]\([^)]{0,500}\))[^\[\]`\\]*)*)\]"
    r"\((?:<[^>]{0,2000}>|[^()\s]*(?:\([^()]{0,500}\)[^()\s]*)*)(?:\s+\"[^\"]{0,500}\")?\)"
    r"|\\([!-/:-@\[-`{-~])"
    r"|<(https?:[^\s>]{0,2000})>"
    r"|<!--[^>]{0,2000}-->|<\/?[a-zA-Z][^>]{0,2000}>"
    r"|&(amp|lt|gt|quot);"
    r"|\*+(?=[^\s*])|(?<=[^\s*])\*+"
    r"|(?<![A-Za-z0-9_])_+(?=[^\s_])|(?<=[^\s_])_+(?![A-Za-z0-9_])"
    r"|~~"
)
"""Marks within text: one of the groups is shown of each, or nothing. Bounds keep hostile text quick."""
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}


def twin_page(twin: str) -> tuple[str, list[Section]]:
    """Return the title and the sections of a twin, in order."""
    title, rest = _begin(twin)
    found: list[Section] = []
    anchor, heading, text = "", "", ""
    anchors = _Anchors(title)
    for piece, is_heading in _pieces(rest):
        if not is_heading:
            text += piece
            continue
        found.append((anchor, heading, _line(text)))
        heading, text = _plain(piece), ""
        anchor = anchors.of(heading)
    return title, [*found, (anchor, heading, _line(text))]


def has_sections(twin: str, title: str, sections: Sequence[Section]) -> bool:
    """Return whether a twin has this title, and the anchors and headings of these sections."""
    said, rest = _begin(twin)
    anchors = _Anchors(said)
    own = [("", "")]
    for mark in _marks(rest):
        if mark[1]:
            heading = _plain(mark[1])
            own.append((anchors.of(heading), heading))
    return said == title and own == [each[:2] for each in sections]


class _Anchors:
    """Gives out anchors as the page does: each once."""

    def __init__(self, title: str) -> None:
        self._times: dict[str, int] = {}
        self.of(title)

    def of(self, heading: str) -> str:
        """Return the anchor of the next heading."""
        slug = slugify(heading)
        number = self._times.get(slug, 0)
        self._times[slug] = number + 1
        return f"{slug}-{number}" if number else slug


def _begin(twin: str) -> tuple[str, str]:
    """Return the title, and what comes after it with a line's end before and after."""
    title, end, rest = f"\n{twin}".partition(_TITLE)[2].partition("\n")
    return _plain(title), f"{end}{rest}\n"


def _marks(text: str) -> Iterator[re.Match[str]]:
    """Return headings, and the lines around blocks of code: each begin, then its end."""
    fence = ""
    for mark in _MARK.finditer(text):
        if not fence:
            fence = mark[2] or ""
            yield mark
        elif mark[2] and mark[2].startswith(fence) and not mark[3].strip():
            fence = ""
            yield mark


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Return texts without their marks, and headings, which are marked so."""
    at, is_code = 0, False
    for mark in _marks(text):
        between = text[at : mark.start()]
        yield between if is_code else _prose(between), False
        at = mark.end()
        if mark[1]:
            yield mark[1], True
            continue
        is_code = not is_code
        title = _CODE_TITLE.search(mark[3])
        yield f"\n{title[1]}" if title else "\n", False
    yield text[at:] if is_code else _prose(text[at:]), False


def _prose(text: str) -> str:
    bare = _BEGINNINGS.sub("\n", _RULES.sub("", f"{text}\n"))
    return _plain(_CELLS.sub(" ", bare))


def _plain(text: str) -> str:
    return _INLINE.sub(_shown, text) if _SIGNS.search(text) else text


def _shown(mark: re.Match[str]) -> str:
    if mark[2]:
        return mark[2]
    if mark[3] is not None:
        return "" if mark[0].startswith("!") else _plain(mark[3])
    if mark[0].startswith("<br"):
        return " "
    return mark[4] or mark[5] or _ENTITIES.get(mark[6], "")


def _line(text: str) -> str:
    return _SPACE.sub(" ", text).strip(" ")
