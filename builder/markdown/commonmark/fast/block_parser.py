"""The loop over a page's blocks, made quick, and with an end to its depth.

Rules are asked only at lines that begin with one of their characters. Blocks nested deeper than the budget
are shown as the text they are. Notes: `budget-exceeded`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType
from msgspec import Struct

from builder.markdown.commonmark.budget import MAX_BLOCKS, MAX_DEPTH, MAX_LINES, meter
from builder.markdown.commonmark.parser_notes import Note, note
from builder.markdown.commonmark.parser_states import BlockState, quick

Rule = Callable[[StateBlock, int, int, bool], bool]

BEGINS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*-+0123456789",
    "footnote_def": "[",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""The characters that rules begin with, after the indentation; those not named are asked at every line."""


class Chain(Struct):
    """The rules of one chain by the character that a line begins with; called, it is itself a rule."""

    table: dict[str, list[Rule]]
    others: list[Rule]

    def at(self, state: StateBlock, line: int) -> list[Rule]:
        """The rules to ask at a line that is not empty."""
        return self.table.get(state.src[state.bMarks[line] + state.tShift[line]], self.others)

    def __call__(self, state: StateBlock, line: int, endLine: int, silent: bool) -> bool:
        """Return whether one of the rules takes the line."""
        start = state.bMarks[line] + state.tShift[line]
        if start >= state.eMarks[line]:
            return False
        for rule in self.table.get(state.src[start], self.others):
            if rule(state, line, endLine, silent):
                return True
        return False


class BlockRuler(Ruler[Rule]):
    """markdown-it's list of block rules; a chain that ends another block is given as one `Chain`."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = dict(BEGINS)
        self._made_of: Sequence[Rule] = ()
        self._chains: dict[str, Chain] = {}

    def chain(self, name: str = "") -> Chain:
        """The rules of a chain ("" for all), made anew when rules were added or switched."""
        rules = super().getRules()
        if rules is not self._made_of:
            self._made_of, self._chains = rules, {}
        if name not in self._chains:
            self._chains[name] = self._make(name)
        return self._chains[name]

    def getRules(self, chainName: str = "") -> list[Rule]:
        """Return the rules of a chain, as markdown-it's own rules ask for them."""
        return super().getRules() if not chainName else [self.chain(chainName)]

    def _make(self, chain: str) -> Chain:
        wanted = {id(rule) for rule in super().getRules(chain)}
        active = zip(self.get_active_rules(), super().getRules(), strict=True)
        named = [(name, rule) for name, rule in active if id(rule) in wanted]
        characters = {char for name, _ in named for char in self.begin.get(name, "")}
        others = [rule for name, rule in named if name not in self.begin]
        table = {
            char: [rule for name, rule in named if char in self.begin.get(name, char)] for char in characters
        }
        return Chain(table, others)


class BlockParser(ParserBlock):
    """markdown-it's block parser with a table from characters to rules."""

    ruler: BlockRuler

    def __init__(self) -> None:
        super().__init__()
        plain, self.ruler = self.ruler, BlockRuler()
        for rule in plain.__rules__:
            self.ruler.push(rule.name, rule.fn, {"alt": rule.alt})

    def begins(self, name: str, characters: str) -> None:
        """Declare that the rule `name` can only match a line that begins with one of `characters`."""
        self.ruler.begin[name] = characters

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> list[Token] | None:
        """Append the tokens of `src` to `outTokens`."""
        if not src:
            return None
        state = BlockState(src, md, env, outTokens)
        whole, state.lineMax = state.lineMax, min(state.lineMax, MAX_LINES)
        self.tokenize(state, 0, state.lineMax)
        if state.lineMax < whole:
            _as_text(state, state.lineMax, whole, "the page has too many lines")
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Make tokens of the lines from `startLine` to `endLine`."""
        line, after_empty, flat = startLine, False, cast(BlockState, state).flat
        rules = self.ruler.chain()
        if state.parentType == "blockquote":
            meter(state.env).quoted -= endLine - startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or _over(state, line, endLine):
                return
            begin = len(state.tokens)
            for rule in rules.at(state, line):
                if rule(state, line, endLine, False):
                    break
            if state.line <= line:
                raise RuntimeError("no block rule took the line")
            if flat:
                cast(BlockState, state).placed(line, begin)
            state.tight = not after_empty
            line = state.line
            if state.isEmpty(line - 1):
                after_empty = True
            if line < endLine and state.isEmpty(line):
                after_empty = True
                line += 1
                state.line = line


def _over(state: StateBlock, line: int, endLine: int) -> bool:
    """Return whether the block around these lines is over: the next is further out, or a budget spent."""
    if len(state.tokens) >= MAX_BLOCKS:
        _as_text(state, line, endLine, "the page has too many blocks")
        return True
    if state.sCount[line] < state.blkIndent:
        return True
    if state.level >= MAX_DEPTH or meter(state.env).quoted < 0:
        _as_text(state, line, _outdented(state, line, endLine), "blocks are nested too deep")
        return True
    return False


def _outdented(state: StateBlock, line: int, endLine: int) -> int:
    """The first line after `line` that stands further out than the block it is in."""
    end = line + 1
    while end < endLine and (state.isEmpty(end) or state.sCount[end] >= state.blkIndent):
        end += 1
    return end


def _as_text(state: StateBlock, line: int, end: int, why: str) -> None:
    """A paragraph of the lines as they are."""
    note(state.env, Note("budget-exceeded", line, f"{why}; this is shown as text"))
    state.push("paragraph_open", "p", 1).map = [line, end]
    inline = state.push("inline", "", 0)
    inline.map = [line, end]
    inline.children = [quick("text", "", 0, 0, cast(BlockState, state).unparsed(line, end))]
    state.push("paragraph_close", "p", -1)
    state.line = end
