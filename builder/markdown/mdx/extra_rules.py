"""Rules that extras add to the parser of `mdx`: keys, and the definition lists of mdit-py-plugins.

    ++ctrl+s++         keys; a name that is none stays text, and is told

    Term
    : What it means.

Loaded by the parser of a site that has switched one of them on.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import cast

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.deflist import deflist_plugin

from builder.markdown.commonmark.parser import Parser
from builder.markdown.mdx.cursor.reading import reading
from builder.markdown.mdx.inline_marks import Mark, MarkFault
from components.keys import NAMES, Keys, shown
from components.nearest import did_you_mean

_KEY = r"(?:[^\W_][\w-]{0,30}|[^\w\s+\"\\]|\"[^\"\n+]{1,30}\")"
_KEYS = re.compile(rf"\+\+({_KEY}(?:\+{_KEY}){{0,7}})\+\+(?![\w+])")


def add_keys(md: Parser) -> None:
    """Let `++ctrl+s++` be keys."""
    md.inline.ruler.after("autolink", "keys", keys)
    md.inline.begins("keys", "+")


def add_definition_lists(md: Parser) -> None:
    """Let terms have definitions.

    The plugin's rule stands before that of paragraphs; here it must be asked earlier, as one rule takes
    paragraphs and underlined headings.
    """
    ruler = SimpleNamespace(
        before=lambda _, name, rule, options: md.block.ruler.before("lheading", name, rule, options)
    )
    deflist_plugin(cast(Parser, SimpleNamespace(block=SimpleNamespace(ruler=ruler))))
    md.core.ruler.after("block", "definition_terms", give_lines)


def keys(state: StateInline, silent: bool) -> bool:
    """`++ctrl+s++`, where it does not stick to a word before it."""
    pos = state.pos
    found = _KEYS.match(state.src, pos, state.posMax)
    if found is None or (pos and (state.src[pos - 1].isalnum() or state.src[pos - 1] in "+_")):
        return False
    if not silent:
        _push(state, found)
    state.pos = found.end()
    return True


def _push(state: StateInline, found: re.Match[str]) -> None:
    names = re.findall(_KEY, found[1])
    unknown = next((name for name in names if not shown(name)), "")
    if unknown:
        hint = did_you_mean(unknown, NAMES) or f'put what is on it into quotes: `++"{unknown}"++`'
        fault = MarkFault(found.start(), "key-unknown", f"there is no key `{unknown}`", hint)
        state.push("dropped", "", 0).meta = {"mark": Mark(found.start(), found.start(), faults=(fault,))}
        state.append_pending(found[0])
    else:
        made = Keys(tuple(map(shown, names)))
        text = made.twin((), reading(state.env).words)
        mark = Mark(found.start(), found.end(), shown=text, component=made)
        state.push("inline_component", "", 0).meta = {"mark": mark, "plain": "+".join(made.keys)}
    reading(state.env).marked += 1


def give_lines(state: StateCore) -> None:
    """Let the text of each term have its line, as all other text has: the plugin gives it none."""
    for token in state.tokens:
        if token.type == "inline" and token.map and token.map[0] == token.map[1]:
            token.map = [token.map[0], token.map[0] + 1]
