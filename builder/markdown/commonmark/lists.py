"""Lists without surprises: marks at the margin, and one line of running text behind each.

    - Pages are files.                      1. Make a folder.
    - A `folder` is a category.             2. Put a page into it.

Nearly all lists are of this kind. markdown-it reads each item as a document of its own; here the whole list
is told at one look, and its tokens are the same. Where an item may hold something else its own rule is asked.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock, list_block

from builder.markdown.commonmark.budget import MAX_BLOCKS, MAX_DEPTH
from builder.markdown.commonmark.fast.block import Block
from builder.markdown.commonmark.states import BlockState

_MARKS = {**{mark: re.escape(mark) for mark in "-*+"}, ".": r"[0-9]{1,9}\.", ")": r"[0-9]{1,9}\)"}
_ITEMS = {mark: re.compile(rf"(?:{marks} [^\s][^\n]*+(?:\n|\Z))+") for mark, marks in _MARKS.items()}
_MARK = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?= )")
_TEXT = re.compile(
    r"`(?!``)|\*\*\w|_[^\W_]|[0-9]{1,9}(?![0-9.)])|\[[^\^\[\]][^\[\]]*+\]\(|(?!import|export)[ie]"
)
"""What begins as another block may, and is text."""

TOKENS = 5
"""Those of an item; a list has two of its own."""


def plugin(md: MarkdownIt) -> None:
    """Look first whether a list is plain."""
    md.block.ruler.at("list", lists, {"alt": ["paragraph", "reference", "blockquote"]})


def lists(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    if not silent and state.parentType == "root" and not state.blkIndent and not state.sCount[startLine]:
        end = _end(cast(BlockState, state), startLine, endLine)
        if end > startLine:
            _write(state, startLine, end, min(state.skipEmptyLines(end), endLine))
            return True
    if silent and cast(BlockState, state).flat:
        return _begins(state, startLine, endLine)
    return list_block(state, startLine, endLine, silent)


def _begins(state: StateBlock, line: int, endLine: int) -> bool:
    """Whether an item begins, where nothing is code; markdown-it's rule has one that stands deep be text."""
    before, state.listIndent = state.listIndent, -1
    begins = list_block(state, line, endLine, True)
    state.listIndent = before
    return begins


def _end(state: BlockState, start: int, endLine: int) -> int:
    """The line after the last item of a plain list; `start` when there is none."""
    begin, last = state.bMarks[start], state.eMarks[endLine - 1]
    mark = _MARK.match(state.src, begin, last) if start >= state.seen else None
    found = _ITEMS[mark[0][-1]].match(state.src, begin, last) if mark else None
    if mark is None or found is None:
        return start
    # Where these lines are no plain list, they may be many others, which would look at the same ones again.
    end = state.seen = start + found[0].count("\n", 0, -1) + 1
    if end < endLine and not _is_over(state, end, endLine, mark[0]):
        return start
    if len(state.tokens) + (end - start + 1) * TOKENS > MAX_BLOCKS or state.level + 2 >= MAX_DEPTH:
        return start
    begins = cast(Block, state.md.block).ruler.chain().table
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
    at = _start(state, start) - 2
    number, mark = state.src[state.bMarks[start] : at], state.src[at]
    kind, tag = ("ordered_list", "ol") if number else ("bullet_list", "ul")
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
