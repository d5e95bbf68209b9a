"""GFM tables, with alignment as a class and a budget of cells.

    | a | b |        header row: as many cells as the delimiter row, else it is no table
    | - | :-: |      delimiter row: `-`, `:-`, `:-:`, `-:`
    | c |            rows: short ones are filled up, long ones are cut

The rows end at an empty line or where another block begins. `\\|` is a pipe within a cell, also in code.
Notes: `budget-exceeded`, `table-cell-dropped`. Env: `table_cells`, the number of cells so far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from builder.markdown.commonmark.parser_notes import Note, note

MAX_CELLS = 30_000
"""Cells on one page, filled-up ones included; a real page has hundreds."""

_DELIMITER_ROW = re.compile(r"[-:|][-:| \t]*")
_DELIMITER = re.compile(r"(:?)-+(:?)")
_PIPE = re.compile(r"(?<!\\)\|")
_CLASSES = {(":", ""): "tp-left", (":", ":"): "tp-center", ("", ":"): "tp-right", ("", ""): ""}
_SPACES = " \t\n\r\x0b\x0c"

Cell = Literal["th", "td"]


def plugin(md: MarkdownIt) -> None:
    """Recognise tables; they end paragraphs, as in GFM."""
    md.block.ruler.at("table", table, {"alt": ["paragraph", "reference"]})
    md.enable("table")


def table(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    if startLine + 2 > endLine:
        return False
    classes = _delimiters(state, startLine + 1)
    if classes is None or state.is_code_block(startLine):
        return False
    first = _line(state, startLine)
    header = _cells(first) if "|" in first else []  # without a pipe it is a heading and its underline
    if len(header) != len(classes) or not _affordable(state, startLine, len(classes), silent):
        return False
    if not silent:
        _table(state, startLine, endLine, header, classes)
    return True


def _delimiters(state: StateBlock, line: int) -> list[str] | None:
    """The class of each column when the line is a delimiter row."""
    start = state.bMarks[line] + state.tShift[line]
    if state.src[start : start + 1] not in {"|", "-", ":"}:
        return None
    if state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return None
    text = _line(state, line)
    if _DELIMITER_ROW.fullmatch(text) is None or text in {"|", "-", ":"} or text[:2] in {"- ", "-\t"}:
        return None
    marks = [_DELIMITER.fullmatch(cell) for cell in _cells(text)]
    return [_CLASSES[mark[1], mark[2]] for mark in marks if mark] if all(marks) else None


def _table(
    state: StateBlock, startLine: int, endLine: int, header: Sequence[str], classes: Sequence[str]
) -> None:
    before, state.parentType = state.parentType, "table"
    table_lines, body_lines = [startLine, 0], [startLine + 2, 0]
    state.push("table_open", "table", 1).map = table_lines
    state.push("thead_open", "thead", 1).map = [startLine, startLine + 1]
    _row(state, startLine, "th", header, classes)
    state.push("thead_close", "thead", -1)
    line = startLine + 2
    while line < endLine and _continues(state, line, endLine):
        if not _affordable(state, line, len(classes), silent=False):
            break
        if line == startLine + 2:
            state.push("tbody_open", "tbody", 1).map = body_lines
        cells = _cells(_line(state, line))
        if len(cells) > len(classes):
            _surplus(state, line, cells, len(classes))
        _row(state, line, "td", cells, classes)
        line += 1
    if line > startLine + 2:
        state.push("tbody_close", "tbody", -1)
    state.push("table_close", "table", -1)
    table_lines[1] = body_lines[1] = state.line = line
    state.parentType = before


def _row(state: StateBlock, line: int, tag: Cell, cells: Sequence[str], classes: Sequence[str]) -> None:
    """One row, with exactly as many cells as there are columns."""
    state.env["table_cells"] = state.env.get("table_cells", 0) + len(classes)
    lines = [line, line + 1]
    state.push("tr_open", "tr", 1).map = lines
    for number, name in enumerate(classes):
        opening = state.push(f"{tag}_open", tag, 1)
        if name:
            opening.attrs = {"class": name}
        inline = state.push("inline", "", 0)
        inline.map = lines
        inline.content = cells[number] if number < len(cells) else ""
        inline.children = []
        state.push(f"{tag}_close", tag, -1)
    state.push("tr_close", "tr", -1)


def _surplus(state: StateBlock, line: int, cells: Sequence[str], columns: int) -> None:
    """Tell of the first cell that no column is left for and that says something."""
    number = next((at for at in range(columns, len(cells)) if cells[at]), None)
    if number is None:
        return
    start = state.bMarks[line] + state.tShift[line]
    start += state.src.startswith("|", start)
    for _ in range(number):
        pipe = _PIPE.search(state.src, start, state.eMarks[line])
        start = pipe.end() if pipe else start
    while state.src[start] in _SPACES:
        start += 1
    message = f"the row has more cells than the {columns} columns of its table: this one is left out"
    note(
        state.env, Note("table-cell-dropped", line, message, r"a `|` within a cell is written `\|`", at=start)
    )


def _continues(state: StateBlock, line: int, endLine: int) -> bool:
    """Return whether the line is another row: not empty, not outdented, not the start of another block."""
    if state.sCount[line] < state.blkIndent or state.isEmpty(line) or state.is_code_block(line):
        return False
    return not any(rule(state, line, endLine, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _affordable(state: StateBlock, line: int, cells: int, silent: bool) -> bool:
    if state.env.get("table_cells", 0) + cells <= MAX_CELLS:
        return True
    if not silent and not state.env.get("table_cells_noted"):
        state.env["table_cells_noted"] = True
        note(state.env, Note("budget-exceeded", line, f"the tables have more than {MAX_CELLS:,} cells"))
    return False


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip(_SPACES)


def _cells(text: str) -> list[str]:
    """A row's cells; the outer pipes are optional."""
    cells = _PIPE.split(text) if "\\" in text else text.split("|")
    if cells[0] == "":
        del cells[0]
    if cells and cells[-1] == "":
        del cells[-1]
    return [cell.replace("\\|", "|").strip(_SPACES) for cell in cells]
