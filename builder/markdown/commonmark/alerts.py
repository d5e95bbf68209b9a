"""Alerts: a block quote whose first line is `[!NOTE]` is an admonition.

    > [!WARNING]
    > Text.

Tokens: `alert_open` (meta `{"type": admonition type}`), `alert_title_open`, inline, `alert_title_close`, the
content, `alert_close`. They render as admonitions do, whose label is the alert's title.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote

_ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def plugin(md: MarkdownIt) -> None:
    """Let block quotes that begin with a marker be admonitions."""
    md.options["alerts"] = True
    md.block.ruler.at("blockquote", quote_or_alert, _ENDS)


def quote_or_alert(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """markdown-it's block quote rule, with an alert's tokens made over."""
    first = len(state.tokens)
    found = blockquote(state, startLine, endLine, silent)
    if found and not silent and state.tokens[first].type == "alert_open":
        _make_over(state, first)
    return found


def _make_over(state: StateBlock, first: int) -> None:
    opening, title, text = state.tokens[first : first + 3]
    kind = opening.info.lower()
    opening.meta = {"type": kind}
    opening.attrs = {"class": f"tp-admonition tp-{kind}"}
    opening.tag = state.tokens[-1].tag = "aside"
    title.attrs = {"class": "tp-admonition-title"}
    title.map = text.map = [opening.map[0], opening.map[0] + 1] if opening.map else None
