"""Tables that are written as HTML: rows of pipes, where a page is read as `mdx`, which keeps no such tags.

The tags between cells are replaced, and what cells hold stays for other rules; lines within a cell become
one, and what cannot stand in a line (paragraphs, lists) is parted by `<br>`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from msgspec import Struct

from builder.importer.page_work import PageWork
from builder.markdown.mdx.scan.pairs import Span

_CELL = re.compile(
    r"<(?P<end>/)?(?P<name>tr|t[hd])\b(?P<given>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>", re.IGNORECASE
)
_INNER = re.compile(
    r"(?P<pipe>(?<!\\)\|)|[ \t]*\n\s*|</?(?P<tag>p|div|ul|ol|li|h[1-6]|blockquote|center)\b[^<>]*>",
    re.IGNORECASE,
)
_LINES = frozenset({"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"})
_WIDE = re.compile(r"\bcolspan=\{?[\"']?(\d{1,2})", re.IGNORECASE)
_TALL = re.compile(r"\browspan=\{?[\"']?(?:[2-9]|\d\d)", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})|<pre\b|<table\b", re.MULTILINE | re.IGNORECASE)


class TableCell(Struct, frozen=True):
    """A cell from `start` to `end`, what it holds between `first` and `last`, and its attributes."""

    start: int
    end: int
    first: int
    last: int
    given: str
    is_head: bool = False

    @property
    def width(self) -> int:
        """The number of columns that it takes."""
        found = _WIDE.search(self.given)
        return max(1, int(found[1])) if found else 1


def read_table(text: str, start: int, end: int) -> list[list[TableCell]]:
    """Return the rows of the table that stands there. Total."""
    rows, row, opened = list[list[TableCell]](), list[TableCell](), None
    for found in _CELL.finditer(text, start, end):
        if opened is not None:
            is_head = opened["name"].lower() == "th"
            place = opened.start(), found.end() if found["end"] else found.start()
            row.append(TableCell(*place, opened.end(), found.start(), opened["given"], is_head))
            opened = None
        if found["name"].lower() == "tr":
            rows += [row] if row else []
            row = []
        elif not found["end"]:
            opened = found
    return [*rows, row] if row else rows


def rewrite_html_tables(work: PageWork) -> None:
    """Write the tables of a page with pipes."""
    end = 0
    for piece in work.rewriting.source.pieces:
        if piece.tag is not None and piece.tag.name == "table" and piece.close and piece.start >= end:
            end = piece.whole[1]
            write_table(work, piece.whole, read_table(work.rewriting.text, *piece.whole))


def write_table(
    work: PageWork, place: Span, rows: Sequence[Sequence[TableCell]], dropped: Container[int] = ()
) -> None:
    """Write a table with pipes, without the columns that are dropped; one that holds blocks stays."""
    rewriting = work.rewriting
    kept = [[cell for number, cell in enumerate(row) if number not in dropped] for row in rows]
    kept = [row for row in kept if row]
    if not kept or any(_FENCE.search(rewriting.text, cell.first, cell.last) for row in kept for cell in row):
        return
    columns = max(sum(cell.width for cell in row) for row in kept)
    indent, pos = rewriting.indent(place[0]), place[0]
    begin = "" if rewriting.text[:pos].endswith("\n\n") or pos == 0 else f"\n\n{indent}"
    begin = (
        f"{begin}{'|' + ' |' * columns}\n{indent}{_rule(columns)}\n{indent}"
        if not kept[0][0].is_head
        else begin
    )
    for number, row in enumerate(kept):
        for at, cell in enumerate(row):
            rewriting.replace(pos, cell.first, f"{begin if at == 0 else ' '}| ")
            _flatten(work, cell)
            pos, begin = cell.last, " |" * cell.width
        filled = sum(cell.width for cell in row)
        begin = f"{' |' * (row[-1].width + columns - filled)}\n{indent}"
        if number == 0 and kept[0][0].is_head:
            begin += f"{_rule(columns)}\n{indent}"
    rewriting.replace(pos, place[1], f"{begin.rstrip()}\n")


def _rule(columns: int) -> str:
    return f"|{' --- |' * columns}"


def _flatten(work: PageWork, cell: TableCell) -> None:
    """Put what a cell holds on one line."""
    rewriting, text = work.rewriting, work.rewriting.text
    if _TALL.search(cell.given):
        now = "a cell of one row"
        rewriting.tell("cell over several rows", cell.start, cell.given.strip(), now, "changed")
    is_first = True
    for found in _INNER.finditer(text, cell.first, cell.last):
        if found["pipe"]:
            rewriting.replace(*found.span(), "\\|")
            continue
        is_first = is_first and not text[cell.first : found.start()].strip()
        name = (found["tag"] or "").lower()
        opens = name in _LINES and not found[0].startswith("</")
        shown = "<br>" if opens and not is_first else " "
        rewriting.replace(*found.span(), f"{shown}• " if opens and name == "li" else shown)
        is_first = is_first and name != "li"
