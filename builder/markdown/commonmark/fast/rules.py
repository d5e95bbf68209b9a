"""Rules in place of markdown-it's, with the same tokens and less work.

thematic breaks   `***`, `- - -`: without a loop over the line. The rule is asked at every line that begins
                  like a list, on every level, and a line may be a page long.
paragraphs        with headings that are underlined, as one rule: markdown-it's two look through the same
                  lines one after the other, and ask at each whether another block begins.
lists             with marks at the margin and one line of running text behind each, as nearly all are.
                  markdown-it reads each item as a document of its own; here the whole list is told at one
                  look. Where an item may hold something else its own rule is asked.
joined text       only where there is anything to join; markdown-it makes the tokens of every paragraph anew.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, lheading, list_block
from markdown_it.rules_core import StateCore, text_join
from markdown_it.token import Token

from builder.markdown.commonmark.budget import MAX_BLOCKS, MAX_DEPTH
from builder.markdown.commonmark.fast.block_parser import BlockParser
from builder.markdown.commonmark.parser_states import BlockState

_BREAK = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z")
_UNDERLINE = re.compile(r"(?:-++|=++)[ \t]*+\Z")
_MARKS = {**{mark: re.escape(mark) for mark in "-*+"}, ".": r"[0-9]{1,9}\.", ")": r"[0-9]{1,9}\)"}
_ITEMS = {mark: re.compile(rf"(?:{marks} [^\s][^\n]*+(?:\n|\Z))+") for mark, marks in _MARKS.items()}
_MARK = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?= )")
_ITEM_TEXT = re.compile(
    r"`(?!``)|\*\*\w|_[^\W_]|[0-9]{1,9}(?![0-9.)])|\[[^\^\[\]][^\[\]]*+\]\(|(?!import|export)[ie]"
)
"""What begins as another block may, and is text."""

TOKENS = 5
"""Those of an item; a list has two of its own."""

_LIST_ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
_BREAK_ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def plugin(md: MarkdownIt) -> None:
    """Take the four rules over; markdown-it's own are asked where these give up."""
    md.block.ruler.at("hr", thematic_break, _BREAK_ENDS)
    md.block.ruler.at("lheading", text)
    md.block.ruler.at("list", lists, _LIST_ENDS)
    md.core.ruler.at("text_join", join)


def thematic_break(state: StateBlock, startLine: int, _: int, silent: bool) -> bool:
    """Three or more of one mark, and nothing else."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if state.is_code_block(startLine):
        return False
    found = _BREAK.match(state.src, start, state.eMarks[startLine])
    if found is None:
        return False
    if not silent:
        state.line = startLine + 1
        token = state.push("hr", "hr", 0)
        token.map = [startLine, state.line]
        token.markup = found[1] * 3
    return True


def text(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule for paragraphs and underlined headings."""
    if endLine != state.lineMax or state.is_code_block(startLine):
        return lheading(state, startLine, endLine, silent)
    before, state.parentType = state.parentType, "paragraph"
    line, marker = _text_end(state, startLine + 1, endLine)
    state.parentType = before
    content = _content(state, startLine, line)
    state.line = line + bool(marker)
    tag = {"": "p", "=": "h1", "-": "h2"}[marker]
    kind = "heading" if marker else "paragraph"
    opening = state.push(f"{kind}_open", tag, 1)
    inline = state.push("inline", "", 0)
    closing = state.push(f"{kind}_close", tag, -1)
    opening.map, inline.map = [startLine, state.line], [startLine, line]
    opening.markup = closing.markup = marker
    inline.content, inline.children = content, []
    return True


def _text_end(state: StateBlock, line: int, endLine: int) -> tuple[int, str]:
    """The line after the text that goes on from `line`, and the character that it is underlined with."""
    [ended] = state.md.block.ruler.getRules("paragraph")
    while line < endLine and not state.isEmpty(line):
        indent = state.sCount[line] - state.blkIndent
        if indent <= 3 or not state.is_code_block(line):  # else it would be code, but text goes on
            start = state.bMarks[line] + state.tShift[line]
            if indent >= 0 and _UNDERLINE.match(state.src, start, state.eMarks[line]):
                return line, state.src[start]
            # In a quote, markdown-it marks a line that goes on without its mark by a count below 0.
            if state.sCount[line] >= 0 and ended(state, line, endLine, True):
                break
        line += 1
    return line, ""


def _content(state: StateBlock, line: int, end: int) -> str:
    if end == line + 1:
        found = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    else:
        found = state.getLines(line, end, state.blkIndent, False)
    return found.strip(MD_TRIM_CHARS)


def lists(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule for lists."""
    if not silent and state.parentType == "root" and not state.blkIndent and not state.sCount[startLine]:
        end = _list_end(cast(BlockState, state), startLine, endLine)
        if end > startLine:
            _write_list(state, startLine, end, min(state.skipEmptyLines(end), endLine))
            return True
    if silent and cast(BlockState, state).flat:
        return _begins(state, startLine, endLine)
    return list_block(state, startLine, endLine, silent)


def _begins(state: StateBlock, line: int, endLine: int) -> bool:
    """Return whether an item begins, where nothing is code; for markdown-it's rule a deep one is text."""
    before, state.listIndent = state.listIndent, -1
    begins = list_block(state, line, endLine, True)
    state.listIndent = before
    return begins


def _list_end(state: BlockState, start: int, endLine: int) -> int:
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
    begins = cast(BlockParser, state.md.block).ruler.chain().table
    return end if all(_is_text(state, line, begins) for line in range(start, end)) else start


def _is_over(state: StateBlock, end: int, endLine: int, mark: str) -> bool:
    """Return whether a list is over at a line: nothing behind an empty line may belong to its last item."""
    after = state.skipEmptyLines(end)
    if after == end or after >= endLine:
        return after > end
    first = state.src[state.bMarks[after]]
    return state.sCount[after] == 0 and first != mark and not (first.isdigit() and mark[0].isdigit())


def _is_text(state: StateBlock, line: int, begins: Container[str]) -> bool:
    """Return whether an item is a paragraph of one line."""
    start = _start(state, line)
    return state.src[start] not in begins or _ITEM_TEXT.match(state.src, start) is not None


def _start(state: StateBlock, line: int) -> int:
    """Return the offset at which the text of an item begins."""
    return state.src.index(" ", state.bMarks[line]) + 1


def _write_list(state: StateBlock, start: int, end: int, after: int) -> None:
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


def join(state: StateCore) -> None:
    """The core rule; markdown-it's own joins what there is."""
    whole = state.tokens
    state.tokens = [token for token in whole if token.children and _has_joints(token.children)]
    if state.tokens:
        text_join(state)
    state.tokens = whole


def _has_joints(tokens: Sequence[Token]) -> bool:
    """Return whether texts stand side by side, one is an escaped character, or a token has its own."""
    before = ""
    for token in tokens:
        kind = token.type
        if (kind == before == "text") or kind == "text_special" or token.children:
            return True
        before = kind
    return False
