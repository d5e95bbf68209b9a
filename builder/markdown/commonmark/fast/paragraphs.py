"""Paragraphs, and headings that are underlined: markdown-it's two rules as one.

    Text that goes on          A heading
    to an empty line           =========

The rules look through the same lines one after the other, and ask at each whether another block begins.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock, lheading

_UNDERLINE = re.compile(r"(?:-++|=++)[ \t]*+\Z")


def plugin(md: MarkdownIt) -> None:
    """Take the rule for headings over; markdown-it's for paragraphs is asked where this one gives up."""
    md.block.ruler.at("lheading", text)


def text(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    if endLine != state.lineMax or state.is_code_block(startLine):
        return lheading(state, startLine, endLine, silent)
    before, state.parentType = state.parentType, "paragraph"
    line, marker = _end(state, startLine + 1, endLine)
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


def _end(state: StateBlock, line: int, endLine: int) -> tuple[int, str]:
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
