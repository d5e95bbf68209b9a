"""Neighbouring texts as one, where there are any: most paragraphs have none.

markdown-it makes the list of tokens of every paragraph anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore, text_join
from markdown_it.token import Token


def plugin(md: MarkdownIt) -> None:
    """Look first whether there is anything to join."""
    md.core.ruler.at("text_join", join)


def join(state: StateCore) -> None:
    """The core rule; markdown-it's own joins what there is."""
    whole = state.tokens
    state.tokens = [token for token in whole if token.children and _has_joints(token.children)]
    if state.tokens:
        text_join(state)
    state.tokens = whole


def _has_joints(tokens: Sequence[Token]) -> bool:
    """Whether two texts stand beside each other, one is an escaped character, or a token has its own."""
    before = ""
    for token in tokens:
        kind = token.type
        if (kind == before == "text") or kind == "text_special" or token.children:
            return True
        before = kind
    return False
