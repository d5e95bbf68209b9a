"""Link reference definitions, with an end to their length.

markdown-it reads on for the end of a label or title, line by line, and joins what it read at every line.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference

MAX_LINES = 40
"""Lines of one definition."""


def plugin(md: MarkdownIt) -> None:
    """Take the rule over."""
    md.block.ruler.at("reference", short_reference)


def short_reference(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """markdown-it's rule, shown no more than the lines of one definition."""
    if not state.src.startswith("[", state.bMarks[startLine] + state.tShift[startLine]):
        return False
    whole, state.lineMax = state.lineMax, min(state.lineMax, startLine + MAX_LINES)
    found = reference(state, startLine, endLine, silent)
    state.lineMax = whole
    return found
