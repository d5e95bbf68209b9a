"""Link reference definitions, with an end to their length.

markdown-it reads on for the end of a label or title, line by line, and joins what it read at every line. It
reads a label one character at a time; nearly all lines that begin with one go on with a link's address.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference

MAX_LINES = 40
"""Lines of one definition."""


_LINK = re.compile(r"\[(?:[^\[\]\\]++|\\.)*\](?!:)")


def plugin(md: MarkdownIt) -> None:
    """Take the rule over."""
    md.block.ruler.at("reference", short_reference)


def short_reference(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """markdown-it's rule, shown no more than the lines of one definition."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith("[", start) or _LINK.match(state.src, start, state.eMarks[startLine]):
        return False
    whole, state.lineMax = state.lineMax, min(state.lineMax, startLine + MAX_LINES)
    found = reference(state, startLine, endLine, silent)
    state.lineMax = whole
    return found
