"""The loop over a paragraph's characters, made quick: rules are asked only at characters they begin with.

markdown-it asks every rule at every punctuation mark. Here a rule declares its first characters, text runs
to the next of these, and text without any is one token at once. What is parsed is the same.

Env: `delimiters`, the emphasis marks so far. Notes: `budget-exceeded`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from builder.markdown.autolinks import autolink, next_start, starts

Rule = Callable[[StateInline, bool], bool]

BEGINS = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "footnote_ref": "[",
    "image": "!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
}
"""The characters that markdown-it's rules and ours begin with."""

_ALWAYS = "]"  # where the label of a link may end
_PAIRED = re.compile(r"[*_~]")


class Inline(ParserInline):
    """markdown-it's inline parser with a table from characters to rules."""

    def __init__(self) -> None:
        super().__init__()
        self._begins = dict(BEGINS)
        self._rules: list[Rule] | None = None
        self._table: dict[str, list[Rule]] = {}
        self._stop = re.compile("")

    def begins(self, name: str, characters: str) -> None:
        """Declare that the rule `name` can only match where one of `characters` stands."""
        self._begins[name] = characters
        self._rules = None

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Append the tokens of `src` to `tokens`."""
        self._prepare()
        places = starts(src)
        if not places and self._stop.search(src) is None:
            if src:
                tokens.append(Token("text", "", 0, content=src))
            return tokens
        state = StateInline(src, md, env, tokens)
        state.places = places  # type: ignore[attr-defined]
        self.tokenize(state)
        if _PAIRED.search(src) is not None:
            for rule in self.ruler2.getRules(""):
                rule(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """Make tokens from `state.pos` to `state.posMax`."""
        src, end, table, search = state.src, state.posMax, self._table, self._stop.search
        places: Sequence[int] = state.places  # type: ignore[attr-defined]
        deepest = state.md.options["maxNesting"]
        while (pos := state.pos) < end:
            rules = table.get(src[pos])
            if rules is not None:
                if state.level < deepest and any(rule(state, False) for rule in rules):
                    continue
                state.append_pending(src[pos])
                state.pos = pos + 1
                continue
            if places and autolink(state, places):
                continue
            found = search(src, pos, end)
            stop = found.start() if found else end
            state.pos = next_start(places, pos, stop) if places else stop
            state.append_pending(src[pos : state.pos])
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:
        """Step over one token without making it; each place is looked at once."""
        pos = state.pos
        known = state.cache.get(pos)
        if known is None:
            known = state.cache[pos] = self._skip(state, pos)
        state.pos = known

    def _skip(self, state: StateInline, pos: int) -> int:
        rules = self._table.get(state.src[pos])
        if rules is None:
            stop = self._stop.search(state.src, pos, state.posMax)
            return stop.start() if stop else state.posMax
        if state.level >= state.md.options["maxNesting"]:
            return state.posMax
        state.level += 1
        found = any(rule(state, True) for rule in rules)
        state.level -= 1
        return state.pos if found else pos + 1

    def _prepare(self) -> None:
        """Make the table anew when rules were added or switched."""
        rules = self.ruler.getRules("")
        if rules is self._rules:
            return
        self._table = {character: [] for character in _ALWAYS}
        for name, rule in zip(self.ruler.get_active_rules(), rules, strict=True):
            for character in self._begins.get(name, ""):
                self._table.setdefault(character, []).append(rule)
        self._stop = re.compile("[" + re.escape("".join(self._table)) + "]")
        self._rules = rules
