"""Lists without surprises: marks at the margin, and one line of running text behind each.

    - Pages are files.                      1. Make a folder.
    - A `folder` is a category.             2. Put a page into it.

Nearly all lists are of this kind. markdown-it reads each item as a document of its own; here the whole list
is told at one look, and its tokens are the same. Where an item may hold something else its own rule is asked.
"""

from __future__ import annotations

import re
from collections.abc import Container

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock, list_block

from builder.commonmark.block import Block
from builder.commonmark.budget import MAX_BLOCKS, MAX_DEPTH

_MARKS = {**{mark: re.escape(mark) for mark in "-*+"}, ".": r"\d{1,9}\.", ")": r"\d{1,9}\)"}
_ITEMS = {mark: re.compile(rf"(?:{marks} [^\s][^\n]*+(?:\n|\Z))++") for mark, marks in _MARKS.items()}
_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?= )")
_TEXT = re.compile(r"`(?!``)|\*\*\w|_[^\W_]|\d{1,9}(?![\d.)])|\[[^\^\[\]][^\[\]]*+\]\(|(?!import|export)[ie]")
"""What begins as another block may, and is text."""

TOKENS = 5
"""Those of an item; a list has two of its own."""


def plugin(md: MarkdownIt) -> None:
    """Look first whether a list is plain."""
    md.block.ruler.at("list", lists, {"alt": ["paragraph", "reference", "blockquote"]})


def lists(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    if silent or state.parentType != "root" or state.blkIndent or state.sCount[startLine]:
        return list_block(state, startLine, endLine, silent)
    end = _end(state, startLine, endLine)
    if end == startLine:
        return list_block(state, startLine, endLine, silent)
    _write(state, startLine, end, min(state.skipEmptyLines(end), endLine))
    return True


def _end(state: StateBlock, start: int, endLine: int) -> int:
    """The line after the last item of a plain list; `start` when there is none."""
    begin = state.bMarks[start]
    mark = _MARK.match(state.src, begin)
    found = _ITEMS[mark[0][-1]].match(state.src, begin) if mark else None
    if mark is None or found is None:
        return start
    end = start + found[0].count("\n", 0, -1) + 1
    if end > endLine or (end < endLine and not _is_over(state, end, endLine, mark[0])):
        return start
    if len(state.tokens) + (end - start + 1) * TOKENS > MAX_BLOCKS or state.level + 2 >= MAX_DEPTH:
        return start
    block = state.md.block
    begins = block.ruler.chain().table if isinstance(block, Block) else ()
    return end if all(_is_text(state, line, begins) for line in range(start, end)) else start


def _is_over(state: StateBlock, end: int, endLine: int, mark: str) -> bool:
    """Whether a list is over at a line: it is empty, and nothing behind it may belong to the last item."""
    after = state.skipEmptyLines(end)
    if after == end or after >= endLine:
        return after > end
    first = state.src[state.bMarks[after]]
    return state.sCount[after] == 0 and first != mark and not (first.isdigit() and mark[0].isdigit())


def _is_text(state: StateBlock, line: int, begins: Container[str]) -> bool:
    """Whether an item is a paragraph of one line."""
    start = _start(state, line)
    return state.src[start] not in begins or _TEXT.match(state.src, start) is not None


def _start(state: StateBlock, line: int) -> int:
    """Where the text of an item begins."""
    return state.src.index(" ", state.bMarks[line]) + 1


def _write(state: StateBlock, start: int, end: int, after: int) -> None:
    """Append the tokens of a list; empty lines up to `after` belong to its last item."""
    number = state.src[state.bMarks[start] : _start(state, start) - 2]
    kind, tag = ("ordered_list", "ol") if number else ("bullet_list", "ul")
    mark = state.src[_start(state, start) - 2]
    whole = state.push(f"{kind}_open", tag, 1)
    whole.map, whole.markup = [start, after], mark
    if number and int(number) != 1:
        whole.attrs = {"start": int(number)}
    for line in range(start, end):
        _write_item(state, line, line + 1 if line + 1 < end else after, mark)
    state.push(f"{kind}_close", tag, -1).markup = mark
    state.line = after


def _write_item(state: StateBlock, line: int, after: int, mark: str) -> None:
    begin = _start(state, line)
    item = state.push("list_item_open", "li", 1)
    item.map, item.markup, item.info = [line, after], mark, state.src[state.bMarks[line] : begin - 2]
    opening = state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    closing = state.push("paragraph_close", "p", -1)
    opening.map, inline.map = [line, line + 1], [line, line + 1]
    opening.hidden = closing.hidden = True
    inline.content, inline.children = state.src[begin : state.eMarks[line]].strip(MD_TRIM_CHARS), []
    state.push("list_item_close", "li", -1).markup = mark
