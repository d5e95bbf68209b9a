"""Write elements of HTML as markdown where a page of `mdx` would leave their tags out.

    <strong>a</strong>  ->  **a**        <ul><li>a</li></ul>  ->  - a        <h2 id="b">a</h2>  ->  ## a {#b}

Text stays; boxes that are looks alone go. Tables are left to `html_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Container
from html import unescape

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.rewriting import Rewriting

_MARKS = {
    "strong": "**", "b": "**", "em": "*", "i": "*", "cite": "*", "dfn": "*", "var": "*", "del": "~~",
    "s": "~~", "strike": "~~",
}  # fmt: skip
_CODE = frozenset({"code", "tt", "samp"})
_PLAIN = frozenset({"u", "small", "big", "font", "span", "ins", "label", "q", "time", "bdi", "bdo", "data"})
_BOXES = frozenset({
    "div", "section", "article", "header", "footer", "main", "aside", "nav", "figure", "figcaption", "center",
    "p", "hgroup", "dl", "dd",
})  # fmt: skip
_LISTS = frozenset({"ul", "ol"})
_ROWS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})
_HEADING = re.compile(r"h([1-6])$")
_MARKDOWN = re.compile(r"\*\*|\]\(|`|^[ \t]*(?:#{1,6}[ \t]|[-*+][ \t])", re.MULTILINE)
_DEEPEST = 20
_NEAR = 40
"""Characters behind an item in which the next one begins."""


def rewrite_html(work: PageWork, rules: Container[str] = ()) -> None:
    """Rewrite the elements of a page that no rule has a name for."""
    if work.placed is not None and work.placed.format == "mdx":
        _Elements(work, rules).rewrite()


def has_markdown_in_html(work: PageWork) -> bool:
    """Return whether an element of HTML holds markdown, which plain markdown would not read."""
    return any(
        piece.tag is not None
        and piece.tag.name in _BOXES | _LISTS | _ROWS
        and _MARKDOWN.search(work.rewriting.text, piece.end, piece.close[0]) is not None
        for piece in work.rewriting.source.pieces
        if piece.close is not None
    )


class _Elements:
    """The elements of one page."""

    def __init__(self, work: PageWork, rules: Container[str]) -> None:
        self._rewriting: Rewriting = work.rewriting
        self._text = work.rewriting.text
        self._pieces = [
            piece
            for piece in work.rewriting.source.pieces
            if piece.tag is not None and piece.tag.name.islower() and piece.tag.name not in rules
        ]
        self._lists: list[tuple[str, int]] = []

    def rewrite(self) -> None:
        """Rewrite all elements."""
        table = 0
        for piece in self._pieces:
            if piece.tag is None or piece.tag.kind == "close" or piece.tag.name in _ROWS:
                table = max(table, piece.whole[1]) if piece.tag and piece.tag.name == "table" else table
                continue
            while self._lists and piece.start >= self._lists[-1][1]:
                self._lists.pop()
            is_in_cell = piece.start < table or self._is_in_cell(piece)
            if is_in_cell and piece.start >= table and piece.tag.name in {"ul", "ol", "li"}:
                self._list_in_cell(piece, piece.tag.name)
            if is_in_cell and piece.tag.name not in _MARKS and piece.tag.name not in _CODE:
                continue
            self._element(piece, piece.tag.name)

    def _is_in_cell(self, piece: SourcePiece) -> bool:
        """Return whether an element stands in a row of a table of markdown."""
        return self._text.startswith("|", self._text.rfind("\n", 0, piece.start) + 1)

    def _list_in_cell(self, piece: SourcePiece, name: str) -> None:
        """Write items as lines that begin with a sign: a row holds no list."""
        begin = max(self._text.rfind("|", 0, piece.start), self._text.rfind("<", 0, piece.start)) + 1
        is_behind_text = name != "li" and self._text[begin : piece.start].strip()
        sign = "• " if name == "li" else "<br>" if is_behind_text else ""
        self._rewriting.replace(piece.start, piece.end, sign)
        if piece.close is not None:
            behind = self._text[piece.close[1] : piece.close[1] + _NEAR].lstrip()
            self._rewriting.replace(*piece.close, "<br>" if name == "li" and behind.startswith("<li") else "")

    def _element(self, piece: SourcePiece, name: str) -> None:
        if name in _MARKS and self._holds_line(piece):
            self._mark(piece, _MARKS[name])
        elif name in _CODE and self._holds_line(piece):
            self._code(piece)
        elif name in _MARKS or name in _CODE or name in _PLAIN:
            self._without(piece)
        elif (level := _HEADING.match(name)) and piece.close is not None:
            self._heading(piece, "#" * int(level[1]))
        elif name in _LISTS and piece.close is not None:
            self._lists.append((name, piece.whole[1]))
            self._box(piece)
        elif name == "li":
            self._item(piece)
        elif name in _BOXES or name == "dt":
            self._box(piece)

    def _holds_line(self, piece: SourcePiece) -> bool:
        inner = self._rewriting.inner(piece)
        return bool(inner.strip()) and not re.search(r"\n[ \t]*\n", inner)

    def _without(self, piece: SourcePiece) -> None:
        self._rewriting.replace(piece.start, piece.end, "")
        if piece.close is not None:
            self._rewriting.replace(*piece.close, "")

    def _mark(self, piece: SourcePiece, mark: str) -> None:
        """Write marks round a text, where markdown would read them as such."""
        inner, close = self._rewriting.inner(piece), piece.close or (piece.end, piece.end)
        bare = inner.strip()
        before, after = self._text[: piece.start][-1:], self._text[close[1] : close[1] + 1]
        is_read = (bare[0].isalnum() or not before.isalnum()) and (bare[-1].isalnum() or not after.isalnum())
        if not is_read or mark in bare:
            self._without(piece)
            return
        lead, tail = len(inner) - len(inner.lstrip()), len(inner) - len(inner.rstrip())
        self._rewriting.replace(piece.start, piece.end + lead, f"{' ' if lead else ''}{mark}")
        self._rewriting.replace(close[0] - tail, close[1], f"{mark}{' ' if tail else ''}")

    def _code(self, piece: SourcePiece) -> None:
        """Write code in backticks; code with marks or values in it stays text."""
        inner = self._rewriting.inner(piece)
        if "<" in inner or "{" in inner or piece.close is None:
            self._without(piece)
            return
        shown = " ".join(unescape(inner).split())
        sign = "``" if "`" in shown else "`"
        blank = " " if "`" in shown else ""
        self._rewriting.replace(piece.start, piece.close[1], f"{sign}{blank}{shown}{blank}{sign}")

    def _heading(self, piece: SourcePiece, signs: str) -> None:
        close = piece.close or (piece.end, piece.end)
        if "\n" in self._rewriting.inner(piece).strip():
            self._box(piece)
            return
        inner = self._rewriting.inner(piece)
        lead, tail = len(inner) - len(inner.lstrip()), len(inner) - len(inner.rstrip())
        given = piece.tag.attribute("id") if piece.tag is not None else None
        id_ = (
            f" {{#{given.value}}}"
            if given is not None and isinstance(given.value, str) and given.value
            else ""
        )
        self._rewriting.replace(piece.start, piece.end + lead, f"{self._break(piece.start)}{signs} ")
        self._rewriting.replace(close[0] - tail, close[1], f"{id_}{self._end(close[1])}")

    def _item(self, piece: SourcePiece) -> None:
        """Write an item of a list on a line of its own."""
        sign = "1." if self._lists and self._lists[-1][0] == "ol" else "-"
        depth = min(max(len(self._lists) - 1, 0), _DEEPEST)
        line = self._text.rfind("\n", 0, piece.start) + 1
        is_first = not self._text[line : piece.start].strip()
        inner = self._rewriting.inner(piece)
        lead = len(inner) - len(inner.lstrip())
        start = line if is_first else piece.start
        self._rewriting.replace(
            start, piece.end + lead, f"{'' if is_first else chr(10)}{'   ' * depth}{sign} "
        )
        if piece.close is not None:
            self._rewriting.replace(*piece.close, "")

    def _box(self, piece: SourcePiece) -> None:
        """Leave out the tags of a box; what shares a line with one is a paragraph of its own."""
        for start, end in (piece.start, piece.end), piece.close or (piece.end, piece.end):
            line = self._text.rfind("\n", 0, start) + 1
            if not self._text[line:start].strip() and not self._text[end:].split("\n", 1)[0].strip():
                self._rewriting.remove_lines(start, end) if start < end else None
            else:
                self._rewriting.replace(
                    start, end, self._end(end) if start != piece.start else self._break(start)
                )

    def _break(self, start: int) -> str:
        """Return what parts an element from the text before it on its line."""
        line = self._text.rfind("\n", 0, start) + 1
        before = self._text[line:start]
        return "\n\n" if before.strip() and not before.rstrip().endswith(">") else ""

    def _end(self, end: int) -> str:
        """Return what parts an element from what follows it on its line."""
        rest = self._text[end : end + 300].split("\n", 1)[0].strip()
        return "\n\n" if rest and not rest.startswith("</") else ""
