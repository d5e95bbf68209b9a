"""Rewrite HTML with markdown in it as MkDocs has it: grids of cards, figures, boxes."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.embedded_media import MEDIA
from builder.importer.systems.icon_names import icon_name
from builder.importer.tag_rules import TagRules
from builder.markdown.mdx.scan.tags import Tag

_ITEM = re.compile(r"(?P<indent>[ ]*)[-*+][ ]{1,4}(?P<text>.*)$")
_RULE = re.compile(r"[ ]*-{3,}[ ]*$")
_ICON = re.compile(r":((?:material|fontawesome|octicons|simple)-[\w-]{1,80}):(?:\{[^{}]*\})?[ ]*")
_LINK = re.compile(r"\[(?P<text>[^\[\]]{1,300})\]\((?P<href>[^()\s]{1,500})\)(?:\{[^{}]*\})?$")
_SIGNS = re.compile(r"\*\*|__|`|(?<!\w)_|_(?!\w)")
_LONGEST = 80
_IN_CELLS = {
    "ul": "", "ol": "", "li": "<br>", "details": "<br>", "summary": "<br>", "p": "<br>", "div": "<br>",
    "table": "<br>", "thead": "", "tbody": "", "tr": "<br>", "th": " ", "td": " ",
}  # fmt: skip
"""Elements that a cell of a table cannot hold, and what stands for the end of each."""


def rewrite_grids(work: PageWork) -> None:
    """Rewrite all elements that hold markdown."""
    for piece in work.rewriting.source.pieces:
        if piece.sort != "tag" or piece.tag is None:
            continue
        if piece.tag.name in _IN_CELLS and _is_in_cell(work, piece):
            sign = _IN_CELLS[piece.tag.name] if piece.tag.kind == "close" else ""
            work.rewriting.replace(piece.start, piece.end, sign)
        elif piece.tag.kind == "open":
            _element(work, piece, piece.tag)


def _is_in_cell(work: PageWork, piece: SourcePiece) -> bool:
    """Return whether a tag stands in a row of a table, which can have lines and no blocks."""
    text = work.rewriting.text
    return text.startswith("|", text.rfind("\n", 0, piece.start) + 1)


def _element(work: PageWork, piece: SourcePiece, tag: Tag) -> None:
    given = {one.name: one.value for one in tag.attributes}
    classes = str(given.get("class") or "").split()
    if {"grid", "cards"} <= set(classes) and piece.close is not None:
        _cards(work, piece)
    elif tag.name == "a" and "name" in given and not {"id", "href"} & set(given):
        work.rewriting.replace(
            piece.start, piece.end, f'<a id="{html.escape(str(given["name"]), quote=True)}">'
        )
    elif tag.name == "iframe":
        _frame(work, piece, tag)
    elif tag.name in {"div", "figure", "section", "figcaption", "center"} and (
        "markdown" in given or (tag.name == "div" and _is_look(given) and piece.close is not None)
    ):
        work.rewriting.remove_lines(piece.start, piece.end)
        if piece.close is not None:
            work.rewriting.remove_lines(*piece.close)
        if "grid" in classes:
            work.rewriting.tell("grid", piece.start, "", "one below the other", "changed")


def _frame(work: PageWork, piece: SourcePiece, tag: Tag) -> None:
    """Write an embedded page as a link, without the indentation that it had in its box."""
    indent = work.rewriting.indent(piece.start)
    if work.rewriting.text[: piece.start].endswith(f"\n{indent}"):
        work.rewriting.replace(piece.start - len(indent), piece.start, "")
    MEDIA["iframe"].act(TagRules(work, {}, {}), piece, tag)


def _is_look(given: Mapping[str, object]) -> bool:
    return bool(given) and set(given) <= {"class", "style", "align"}


def _cards(work: PageWork, piece: SourcePiece) -> None:
    """Write a list in a grid as cards."""
    text = work.rewriting.text
    start, end = text.find("\n", piece.end) + 1, piece.close[0] if piece.close else 0
    if not 0 < start <= end:
        return
    work.needs_mdx = True
    work.rewriting.replace(piece.start, piece.end, "<CardGrid>")
    if piece.close is not None:
        work.rewriting.replace(*piece.close, "</CardGrid>")
    _Cards(work, start, end).write()


class _Cards:
    """The list within a grid, from `start` to `end`."""

    def __init__(self, work: PageWork, start: int, end: int) -> None:
        self._work = work
        self._lines: list[tuple[int, str]] = []
        at = start
        for line in work.rewriting.text[start:end].split("\n"):
            self._lines.append((at, line))
            at += len(line) + 1
        items = [found for _, line in self._lines if (found := _ITEM.match(line)) and not _RULE.match(line)]
        self._indent = min((len(found["indent"]) for found in items), default=-1)

    def write(self) -> None:
        """Write each item as a card."""
        last = -1
        for at, line in self._lines:
            item = _ITEM.match(line)
            if item and len(item["indent"]) == self._indent and not _RULE.match(line):
                self._end(last)
                self._begin(at, line, item)
                last = at + len(line)
            elif _RULE.match(line):
                self._work.rewriting.remove_lines(at, at + len(line))
            elif line.strip() and last >= 0:
                self._move(at, line)
                last = at + len(line)
        self._end(last)

    def _end(self, last: int) -> None:
        if last >= 0:
            self._work.rewriting.insert(last, "\n\n</Card>")

    def _move(self, at: int, line: str) -> None:
        """Move a line of an item to the left."""
        start = self._indent
        blanks = min(4, max(0, len(line) - len(line.lstrip(" ")) - start))
        self._work.rewriting.replace(at + start, at + start + blanks, "")

    def _begin(self, at: int, line: str, item: re.Match[str]) -> None:
        """Open a card; a short first line is its title, with its icon and link."""
        text, icon = item["text"].strip(), ""
        if found := _ICON.match(text):
            icon, text = icon_name(found[1]), text[found.end() :].strip()
        linked = _LINK.search(re.sub(r"^(?:\*\*|__)|(?:\*\*|__)$", "", text))
        is_title = 0 < len(text) <= _LONGEST and (linked is not None) == ("](" in text)
        if linked and linked.start() > 0:
            is_title = False
        shown = linked["text"] if linked else text
        parts = [f' title="{html.escape(_SIGNS.sub("", shown), quote=True)}"'] if is_title else []
        parts += [f' icon="{icon}"'] if icon else []
        if is_title and linked:
            href = html.escape(self._work.href(linked["href"], at), quote=True)
            parts.append(f' href="{href}"')
        inner = "" if is_title else f"\n\n{text}"
        start = at + self._indent
        self._work.rewriting.replace(start, at + len(line), f"<Card{''.join(parts)}>{inner}")
