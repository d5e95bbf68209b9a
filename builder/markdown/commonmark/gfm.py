"""Emphasis and strikethrough, task lists, alerts.

    *emphasis*  **strong**  _the_ __same__      ~deleted~  ~~deleted~~, but not ~~~deleted~~~
    - [ ] to do
    - [x] done

    > [!WARNING]
    > Text.

A task's `list_item_open` has meta `{"checked": bool}`. A block quote whose first line is `[!NOTE]` is an
admonition: `alert_open` (meta `{"type": admonition type}`), `alert_title_open`, inline, `alert_title_close`,
the content, `alert_close`. They render as admonitions do, whose label is the alert's title.
"""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from builder.markdown.commonmark.budget import meter
from components.words import ENGLISH, Words

_MARKERS = {"*": 0x2A, "_": 0x5F, "~": 0x7E, "~~": 0x17E}
"""What markdown-it pairs equal numbers of; `~` and `~~` must not pair with each other."""

_ALERT_ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_TASK_CLASSES = {"contains-task-list": "tp-tasks", "task-list-item": "tp-task"}


def plugin(md: MarkdownIt) -> None:
    """Add strikethrough, task lists and alerts, and take emphasis over."""
    md.options["alerts"] = True
    md.block.ruler.at("blockquote", quote_or_alert, _ALERT_ENDS)
    md.inline.ruler.at("emphasis", emphasis)
    md.inline.ruler.at("strikethrough", strikethrough)
    md.inline.ruler2.at("strikethrough", pair_strikethrough)
    md.enable("strikethrough")
    md.options["tasklists"] = True
    md.core.ruler.after("block", "tasks", mark_tasks)
    md.add_render_rule("list_item_open", list_item)


def emphasis(state: StateInline, silent: bool) -> bool:
    """A run of `*` or `_`; each is a text token until its partner is found."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    run = state.scanDelims(state.pos, marker == "*")
    if (run.can_open or run.can_close) and meter(state.env).left > run.length:
        meter(state.env).left -= run.length
        for _ in range(run.length):
            _mark(state, marker, run.length, opens=run.can_open, closes=run.can_close)
    else:
        state.append_pending(marker * run.length)
    state.pos += run.length
    return True


def strikethrough(state: StateInline, silent: bool) -> bool:
    """One or two tildes; three are text, as on GitHub."""
    if silent or state.src[state.pos] != "~":
        return False
    run = state.scanDelims(state.pos, True)
    marks = "~" * run.length
    if run.length <= 2 and (run.can_open or run.can_close):
        _mark(state, marks, 0, opens=run.can_open, closes=run.can_close)
    else:
        state.append_pending(marks)
    state.pos += run.length
    return True


def pair_strikethrough(state: StateInline) -> None:
    """Make tags of the tildes that were paired."""
    _strike(state, state.delimiters)
    for meta in state.tokens_meta:
        if meta and "delimiters" in meta:
            _strike(state, meta["delimiters"])


def _strike(state: StateInline, delimiters: Sequence[Delimiter]) -> None:
    for opening in delimiters:
        if opening.marker in {_MARKERS["~"], _MARKERS["~~"]} and opening.end >= 0:
            first, last = state.tokens[opening.token], state.tokens[delimiters[opening.end].token]
            first.type, first.nesting = "s_open", 1
            last.type, last.nesting = "s_close", -1
            first.tag = last.tag = "del"
            first.markup = last.markup = first.content
            first.content = last.content = ""


def _mark(state: StateInline, text: str, length: int, *, opens: bool, closes: bool) -> None:
    state.push("text", "", 0).content = text
    place = len(state.tokens) - 1
    state.delimiters.append(Delimiter(_MARKERS[text], length, place, -1, opens, closes))


def mark_tasks(state: StateCore) -> None:
    """Give markdown-it's classes of task lists the theme's names."""
    if any(box in state.src for box in ("[ ]", "[x]", "[X]")):
        for token in state.tokens:
            if (name := token.attrs.get("class")) in _TASK_CLASSES:
                token.attrs["class"] = _TASK_CLASSES[str(name)]


def list_item(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    """A list item, a task with its box."""
    item = tokens[idx]
    opening = self.renderToken(tokens, idx, options, env)
    return (
        f"{opening}{task_box(ENGLISH, checked=item.meta['checked'])} " if "checked" in item.meta else opening
    )


def task_box(words: Words, *, checked: bool) -> str:
    """The box before a task, which nobody can tick."""
    state, name = (' checked=""', words.task_done) if checked else ("", words.task_open)
    return f'<input class="tp-task-box" type="checkbox" disabled="" aria-label="{escapeHtml(name)}"{state}>'


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
