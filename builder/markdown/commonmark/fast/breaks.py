"""Thematic breaks, `***`, `- - -`, `___`: markdown-it's rule without its loop over the line.

The rule is asked at every line that begins like a list, on every level; a line may be a page long.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

_BREAK = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z")
_ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def plugin(md: MarkdownIt) -> None:
    """Take the rule over."""
    md.block.ruler.at("hr", thematic_break, _ENDS)


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
