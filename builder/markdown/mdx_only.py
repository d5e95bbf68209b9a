"""Admonitions in `md` pages, which have none: they are shown as text, and a note says why.

Notes: `mdx-only`.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from builder.lazy_regex import lazy
from builder.markdown.commonmark.notes import Note, note
from components.admonition import TYPES

_OPENING = lazy(rf"^:{{3,}}[ \t]*(?:{'|'.join(TYPES)})\b", re.IGNORECASE | re.MULTILINE)


def plugin(md: MarkdownIt) -> None:
    """Add the rule, after the blocks are known."""
    md.core.ruler.after("block", "admonitions", admonitions)


def admonitions(state: StateCore) -> None:
    """Look for the first lines of admonitions in running text."""
    if ":::" not in state.src:
        return
    for token in state.tokens:
        if token.type == "inline" and ":::" in token.content:
            first = token.map[0] if token.map else 0
            for found in _OPENING.finditer(token.content):
                line = first + token.content.count("\n", 0, found.start())
                message = f"`{found[0]}` is shown as text, as `md` pages have no admonitions"
                note(state.env, Note("mdx-only", line, message, "rename the file to `.mdx`", near=found[0]))
