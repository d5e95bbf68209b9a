r"""The rules of the extra `math`: formulas in running text and on lines of their own.

    text  = "$" formula "$"     no blank within the dollars, no word before and no digit behind
          | "$$" formula "$$"   shown on a line of its own, as part of its paragraph
    block = "$$" formula "$$"   from the start of a line to the end of one; it may end a paragraph

A formula has no empty line, and no dollar but `\$`. What these rules are asked for is what dollarmath of
mdit-py-plugins is asked for; its own look before the beginning of a text and see its end there (`$x$ is 5`),
and take what they only look at.
"""

from __future__ import annotations

from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.commonmark.parser_notes import Note, note

ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
"""The blocks that a formula on lines of its own may interrupt."""

_TEX = r"(?:[^$\\\n]++|\\[^\n]|\\(?=\n)|\n(?![ \t>]*\n))+"
_SHORT = _TEX.replace("[^$", "[^`$")
_FORMULA = lazy(
    rf"\$\$(?P<display>{_TEX})\$\$(?!\$)|(?<![^\W_])(?<!\$)\$(?![\s$])(?P<text>{_SHORT})(?<!\s)\$(?![\d$])"
)


class FormulaFound(Struct, frozen=True):
    """A formula in a text: its TeX, where that and the whole begin and end, and how it is shown."""

    tex: str
    start: int
    end: int
    display: bool


def formula_at(text: str, start: int, end: int) -> FormulaFound | None:
    """Return the formula whose first dollar is at `start` and whose last is before `end`, or None."""
    found = _FORMULA.match(text, start, end)
    if found is None or (found["display"] or found["text"]).isspace():
        return None
    name = "display" if found["display"] else "text"
    return FormulaFound(found[name], found.start(name), found.end(), name == "display")


def formula(state: StateInline, silent: bool) -> bool:
    """The inline rule."""
    found = formula_at(state.src, state.pos, state.posMax)
    if found is None:
        run = _dollars(state.src, state.pos, state.posMax)
        if run > 1:  # none of them begins a formula
            if not silent:
                state.append_pending("$" * run)
            state.pos += run
            return True
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = found.tex
        token.markup = "$$" if found.display else "$"
        token.meta = {"plain": " ".join(found.tex.split()), "at": found.start}
    state.pos = found.end
    return True


def _dollars(text: str, start: int, end: int) -> int:
    stop = start
    while stop < end and text[stop] == "$":
        stop += 1
    return stop - start


def formula_block(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    begin = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith("$$", begin) or state.is_code_block(startLine):
        return False
    last = _last_line(state, startLine, endLine)
    if last < 0:
        if not silent and last == UNCLOSED:
            message = "the formula has no `$$` at its end, and is shown as text"
            note(state.env, Note("math-invalid", startLine, message, "write `$$` behind it", near="$$"))
        return False
    if silent:
        return True
    lines = state.getLines(startLine, last + 1, state.sCount[startLine], False).strip()
    token = state.push("math_block", "math", 0)
    token.block = True
    token.content, token.markup = lines[2:-2], "$$"
    token.map = [startLine, last + 1]
    state.line = last + 1
    return True


NONE, UNCLOSED = -1, -2


def _last_line(state: StateBlock, line: int, end: int) -> int:
    """The line that ends the formula which begins with `line`; NONE, or UNCLOSED, when there is no such."""
    begin = state.bMarks[line] + state.tShift[line] + 2
    text = state.src[begin : state.eMarks[line]].rstrip()
    while "$$" not in text:
        line += 1
        if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return UNCLOSED
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
    return line if text.index("$$") == len(text) - 2 and not text.endswith("\\$$") else NONE
