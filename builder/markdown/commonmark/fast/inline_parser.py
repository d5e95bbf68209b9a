"""The loop over a paragraph's characters, made quick: rules are asked only at characters they begin with.

markdown-it asks every rule at every punctuation mark. Here a rule declares its first characters, text runs
to the next of these, and text without any is one token at once. What is parsed is the same.

    Call `client.get()`, which is *quick*, as [the guide](../guide.md) says.

Nearly all text of a page is of this kind: words, with code spans, links, emphasis and line ends that stand
apart. There one look tells where each part ends, so that nothing must be tried, remembered and put right
later. What `Simple` makes of it is the same as the rules make; at the first part that may be something else
they go on.

What a page may take is counted on its `budget.Meter`; when that is empty, the rest is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from builder.markdown.commonmark.autolinks import autolink, next_start, starts
from builder.markdown.commonmark.budget import MAX_ALT, TOKEN, Meter, exhausted, meter
from builder.markdown.commonmark.domains import Domains
from builder.markdown.commonmark.parser_states import InlineState, quick

SIMPLE_RULES = frozenset({"newline", "backticks", "emphasis", "link"})
"""The rules whose work is done here."""

DEAREST = 5
"""Steps of the budget that a character may take at most."""

_MARKED = r"(?P<run>\*\*?|__?)(?=[A-Za-z0-9])(?P<marked>[^{stops}]++)(?<=[A-Za-z0-9])(?P=run)"
_PARTS = (
    r"(?P<text>[^{stops}]++)",
    r"(?P<code>`(?P<span>[^`]++)`(?!`))",
    r"(?P<link>\[(?!\^)(?P<label>[^{stops}]++)\]\((?P<address>[A-Za-z0-9/#?=._~:@%+,;-]++)\))",
    rf"(?P<mark>(?<![^ \n(]){_MARKED}(?=[ \n.,;:)?!]|\Z))",
    r"(?P<line>(?<! )\n(?![ \t]))",
)
_SHOWN = {"text": "text", "link": "label", "mark": "marked"}
"""Where a part may hold the address of a page, which would be a link."""

_STEPS = {"text": 1, "code": 1 + TOKEN, "line": 1 + TOKEN, "link": 3 + TOKEN}
"""What the rules would have taken of the budget."""

Part = re.Match[str]

Rule = Callable[[StateInline, bool], bool]

BEGINS = {
    "text": "",
    "linkify": "",
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
"""The characters that rules begin with; a rule that is not named is asked wherever another one is."""

MAX_LEVEL = 20
"""Links and emphasis within each other; markdown-it's own limit."""

_ALWAYS = "]"  # where the label of a link may end
_PAIRED = re.compile(r"[*_~]")


class Simple:
    """Reads text whose rules begin with `stops`."""

    def __init__(self, stops: str) -> None:
        self._part = re.compile("|".join(_PARTS).replace("{stops}", re.escape(stops)))

    def read(
        self, src: str, places: Sequence[int], md: MarkdownIt, of_page: Meter, tokens: list[Token]
    ) -> int:
        """Append the tokens of the beginning of `src` that is simple, and return its end.

        At `places` web addresses may begin. Text that may be too much for the page is left to the rules.
        """
        pos, end, match = 0, len(src), self._part.match
        if of_page.left <= DEAREST * end:
            return 0
        while pos < end:
            part = match(src, pos)
            if part is None or (places and _has_address(part, places)):
                break
            kind = part.lastgroup or ""
            _MAKE[kind](part, md, tokens)
            of_page.left -= _STEPS.get(kind) or 3 + 2 * (TOKEN + len(part["run"]))
            pos = part.end()
        return pos


def _has_address(part: Part, places: Sequence[int]) -> bool:
    shown = _SHOWN.get(part.lastgroup or "")
    if shown is None:
        return False
    start, end = part.span(shown)
    return next_start(places, start - 1, end) < end


def _text(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    tokens.append(quick("text", "", 0, 0, part[0]))


def _code(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    content = part["span"].replace("\n", " ")
    if content[0] == content[-1] == " " and content.strip(" "):
        content = content[1:-1]
    token = quick("code_inline", "code", 0, 0, content)
    token.markup = "`"
    tokens.append(token)


def _link(part: Part, md: MarkdownIt, tokens: list[Token]) -> None:
    found = md.helpers.parseLinkDestination(part.string, part.start("address"), part.end())
    opening = quick("link_open", "a", 1, 0)
    opening.attrs = {"href": md.normalizeLink(found.str)}
    tokens += opening, quick("text", "", 0, 1, part["label"]), quick("link_close", "a", -1, 0)


def _mark(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    run = part["run"]
    name = "strong" if len(run) == 2 else "em"
    opening, closing = quick(f"{name}_open", name, 1, 0), quick(f"{name}_close", name, -1, 0)
    opening.markup = closing.markup = run
    tokens += opening, quick("text", "", 0, 1, part["marked"]), closing


def _line(_: Part, __: MarkdownIt, tokens: list[Token]) -> None:
    tokens.append(quick("softbreak", "br", 0, 0))


_MAKE: dict[str, Callable[[Part, MarkdownIt, list[Token]], None]] = {
    "text": _text,
    "code": _code,
    "link": _link,
    "mark": _mark,
    "line": _line,
}


def plugin(md: MarkdownIt) -> None:
    """Let the meter know the line of each text."""
    md.core.ruler.at("inline", parse_texts)


def parse_texts(state: StateCore) -> None:
    """Parse the text of every block that has one."""
    of_page = meter(state.env)
    for token in state.tokens:
        if token.type == "inline":
            if token.map:
                of_page.line = token.map[0]
            if token.children is None:
                token.children = []
            if token.content:
                state.md.inline.parse(token.content, state.md, state.env, token.children)


class InlineParser(ParserInline):
    """markdown-it's inline parser with a table from characters to rules."""

    def __init__(self) -> None:
        super().__init__()
        self.web_addresses = True
        """Whether `https://example.com` is a link as it stands, as GFM has it."""
        self.unparsed: Callable[[EnvType, str], str] = lambda _, text: text
        """What is shown of a text that is past a budget."""
        self._begins = dict(BEGINS)
        self._rules: list[Rule] | None = None
        self._table: dict[str, list[Rule]] = {}
        self._stop = re.compile("")
        self._simple: Simple | None = None

    def begins(self, name: str, characters: str) -> None:
        """Declare that the rule `name` can only match where one of `characters` stands."""
        self._begins[name] = characters
        self._rules = None

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Append the tokens of `src` to `tokens`."""
        self._prepare()
        places = starts(src) if self.web_addresses else ()
        if not places and self._stop.search(src) is None:
            if src:
                tokens.append(quick("text", "", 0, 0, src))
            return tokens
        of_page = meter(env)
        if of_page.depth >= MAX_ALT:
            tokens.append(quick("text", "", 0, 0, self.unparsed(env, src)))
            return tokens
        done = self._simple.read(src, places, md, of_page, tokens) if self._simple else 0
        if done == len(src):
            return tokens
        of_page.depth += 1
        pending = tokens.pop().content if tokens and tokens[-1].type == "text" else ""
        state = InlineState(src, md, env, tokens)
        state.places, state.domains, state.pos = places, Domains(), done
        state.append_pending(pending)
        self.tokenize(state)
        if _PAIRED.search(src) is not None:
            for rule in self.ruler2.getRules(""):
                rule(state)
        of_page.depth -= 1
        return tokens

    def tokenize(self, state: StateInline) -> None:
        """Make tokens from `state.pos` to `state.posMax`."""
        src, end, table, search = state.src, state.posMax, self._table, self._stop.search
        places = state.places if isinstance(state, InlineState) else ()
        of_page = meter(state.env)
        while (pos := state.pos) < end:
            of_page.left -= 1
            if of_page.left < 0:
                exhausted(state.env)
                state.append_pending(self.unparsed(state.env, src[pos:end]))
                state.pos = end
                break
            rules = table.get(src[pos])
            if rules is not None:
                for rule in rules if state.level < MAX_LEVEL else ():
                    if rule(state, False):
                        of_page.left -= TOKEN
                        break
                else:
                    state.append_pending(src[pos])
                    state.pos = pos + 1
                continue
            if isinstance(state, InlineState) and places and autolink(state, places):
                of_page.left -= TOKEN
                continue
            stop = next_start(places, pos, end) if places else end
            found = search(src, pos, stop)
            state.pos = found.start() if found else stop
            state.append_pending(src[pos : state.pos])
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:
        """Step over one token without making it; each place is looked at once."""
        pos = state.pos
        of_page = meter(state.env)
        of_page.left -= 1
        if of_page.left < 0:
            exhausted(state.env)
            state.pos = state.posMax
            return
        known = state.cache.get(pos)
        if known is None:
            known = state.cache[pos] = self._skip(state, pos)
        state.pos = known

    def _skip(self, state: StateInline, pos: int) -> int:
        rules = self._table.get(state.src[pos])
        if rules is None:
            stop = self._stop.search(state.src, pos, state.posMax)
            return stop.start() if stop else state.posMax
        if state.level >= MAX_LEVEL:
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
        named = list(zip(self.ruler.get_active_rules(), rules, strict=True))
        stops = set(_ALWAYS).union(*(self._begins.get(name, "") for name, _ in named))
        self._table = {
            char: [rule for name, rule in named if char in self._begins.get(name, char)]
            for char in sorted(stops)
        }
        self._stop = re.compile("[" + re.escape("".join(self._table)) + "]")
        simple = SIMPLE_RULES.issubset(name for name, _ in named)
        self._simple = Simple("".join(self._table)) if simple else None
        self._rules = rules
