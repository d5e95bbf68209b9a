"""Tables of GitBook, which are HTML: those shown as cards, and those with columns that nobody sees.

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target ...></th></tr></thead>
<tbody><tr><td><strong>Title</strong></td><td><a href="x.md">x</a></td></tr></tbody></table>
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from builder.importer.html_tables import TableCell, read_table, write_table
from builder.importer.page_work import PageWork
from builder.importer.systems.icon_names import icon_name

_HREF = re.compile(r"(<a\b[^<>]*?\bhref=\")([^\"<>]*)(\"[^<>]*>)")
_IMAGE = re.compile(r"<img\b[^<>]*?\bsrc=\"([^\"<>]*)\"")
_ICON = re.compile(r"<i\b[^<>]*\bclass=\"([^\"<>]*)\"[^<>]*>[^<>]*</i>")
_TITLE = re.compile(
    r"^\s*<(?P<tag>strong|h[1-6]|b)\b[^<>]*>(?P<text>(?:(?!</?(?P=tag)).){1,500})</(?P=tag)>", re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_SIZES = {"large": 2}


class _Table(Struct, frozen=True):
    """The columns of a table, and its rows."""

    columns: list[TableCell]
    rows: list[list[TableCell]]

    @staticmethod
    def of(rows: list[list[TableCell]]) -> _Table:
        """Part the rows of a table."""
        has_head = bool(rows) and all(cell.is_head for cell in rows[0])
        return _Table(rows[0], rows[1:]) if has_head else _Table([], rows)

    def hidden(self) -> frozenset[int]:
        """The numbers of the columns that readers do not see."""
        return frozenset(n for n, column in enumerate(self.columns) if "data-hidden" in column.given)


def rewrite_tables(work: PageWork) -> None:
    """Rewrite the tables of a page."""
    text = work.rewriting.text
    for piece in work.rewriting.source.pieces:
        if piece.tag is None or piece.tag.name != "table" or piece.close is None:
            continue
        opening, rows = text[piece.start : piece.end], read_table(text, *piece.whole)
        if 'data-view="cards"' in opening:
            _cards(work, piece.whole, _Table.of(rows), opening)
        elif "data-hidden" in text[piece.end : piece.close[0]]:
            table = _Table.of(rows)
            _without_hidden(work, table)
            if work.placed is not None and work.placed.format == "mdx":
                write_table(work, piece.whole, rows, table.hidden())


def _without_hidden(work: PageWork, table: _Table) -> None:
    """Leave out the columns that were hidden."""
    hidden = table.hidden()
    _tell_hidden(work, table, hidden)
    for row in (table.columns, *table.rows):
        for number, cell in enumerate(row):
            if number in hidden:
                work.rewriting.replace(cell.start, cell.end, "")


def _inner(work: PageWork, cell: TableCell) -> str:
    return work.rewriting.text[cell.first : cell.last]


def _tell_hidden(work: PageWork, table: _Table, hidden: frozenset[int]) -> None:
    """Tell what stands in columns that readers did not see."""
    rows = (table.columns, *table.rows)
    cells = [cell for row in rows for number, cell in enumerate(row) if number in hidden]
    words = " ".join(filter(None, (_plain(_inner(work, cell)) for cell in cells)))
    if words:
        work.rewriting.tell("column that was hidden", cells[0].start, words, "", "changed")


def _cards(work: PageWork, place: tuple[int, int], table: _Table, opening: str) -> None:
    _tell_hidden(work, table, table.hidden())
    size = re.search(r'data-card-size="(\w+)"', opening)
    cols = _SIZES.get(size[1]) if size else None
    cards = [card for row in table.rows if (card := _card(work, table, row, place[0]))]
    begin = f"<CardGrid cols={{{cols}}}>" if cols else "<CardGrid>"
    work.needs_mdx = True
    shown = "\n\n".join((begin, *cards, "</CardGrid>"))
    lead = "" if work.rewriting.text[: place[0]].endswith("\n") else "\n\n"
    work.rewriting.replace(*place, f"{lead}{shown}")


def _card(work: PageWork, table: _Table, row: Sequence[TableCell], at: int) -> str:
    """Return a row as a card: its first words are the title, and the hidden target its link."""
    seen, title, icon = list[str](), "", ""
    for number, cell in enumerate(row):
        column = table.columns[number].given if number < len(table.columns) else ""
        if "data-card-cover" in column and (
            cover := _IMAGE.search(_inner(work, cell)) or _HREF.search(_inner(work, cell))
        ):
            work.rewriting.tell("cover of a card", cell.start, cover[0])
        if "data-hidden" in column or "data-card-cover" in column:
            continue
        words = _inner(work, cell).strip()
        if sign := _ICON.search(words):
            icon = icon or icon_name(_icon_of(sign[1]))
            words = _ICON.sub("", words).strip()
        if not title and words and (found := _TITLE.match(words)):
            title, words = _plain(found["text"]), words[found.end() :].strip()
        elif not title and words and "<" not in words:
            title, words = _plain(words), ""
        if words:
            seen.append(_linked(work, words, at))
    target = _target(work, table, row, at)
    if not title and seen and not _TAG.search(seen[0]):
        title = seen.pop(0)
    return _written(title, icon, target, seen)


def _written(title: str, icon: str, target: str, seen: Sequence[str]) -> str:
    given = (("title", title), ("icon", icon), ("href", target))
    shown = "".join(
        f' {name}="{html.escape(html.unescape(value), quote=False).replace(chr(34), "&quot;")}"'
        for name, value in given
        if value
    )
    if not shown and not seen:
        return ""
    inner = "\n\n".join(seen)
    return f"<Card{shown}>\n\n{inner}\n\n</Card>" if inner else f"<Card{shown} />"


def _target(work: PageWork, table: _Table, row: Sequence[TableCell], at: int) -> str:
    for number, cell in enumerate(row):
        if number < len(table.columns) and "data-card-target" in table.columns[number].given:
            found = _HREF.search(_inner(work, cell))
            return work.href(html.unescape(found[2]), at) if found else ""
    return ""


def _linked(work: PageWork, words: str, at: int) -> str:
    return _HREF.sub(
        lambda found: f"{found[1]}{html.escape(work.href(html.unescape(found[2]), at))}{found[3]}", words
    )


def _icon_of(classes: str) -> str:
    return next((one for one in classes.split() if one.startswith("fa-")), "")


def _plain(words: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", words)).split())


def icons(work: PageWork) -> Iterator[tuple[int, int, str]]:
    """Yield the places of icons in the text, each with our name of it, "" for one that there is not."""
    for found in _ICON.finditer(work.rewriting.text):
        yield found.start(), found.end(), icon_name(_icon_of(found[1]))
