"""The parser's states, with tokens that are made quicker.

A page has hundreds of tokens, and a quarter of the time of parsing goes into markdown-it's way of making
them, which allows attributes in forms that our rules never use.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import add
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from builder.markdown.commonmark.domains import Domains

_BLANKS = frozenset(" \t")

Nesting = Literal[-1, 0, 1]


def quick(type: str, tag: str, nesting: Nesting, level: int, content: str = "") -> Token:
    """A token that begins empty, made without markdown-it's conversions."""
    token = Token.__new__(Token)
    token.type = type
    token.tag = tag
    token.nesting = nesting
    token.attrs = {}
    token.map = None
    token.level = level
    token.children = None
    token.content = content
    token.markup = ""
    token.info = ""
    token.meta = {}
    token.block = False
    token.hidden = False
    return token


class BlockState(StateBlock):
    """markdown-it's state of parsing blocks. Lines before `seen` were looked at by a rule that looks far.

    Where it is `flat`, nothing is code for its indentation.
    """

    seen: int = 0
    flat: bool = False

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        self.src = src
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):  # blanks without a line end are no line
            del lines[-1]
        self.lineMax = count = len(lines)
        # Behind the last line there is an empty one, at the end of the text.
        self.eMarks = [*map(add, accumulate(map(len, lines)), range(count)), len(src)]
        self.bMarks = [0, *[end + 1 for end in self.eMarks[:-1]]]
        self.bMarks[count] = len(src)
        self.tShift, self.sCount, self.bsCount = [0] * (count + 1), [0] * (count + 1), [0] * (count + 1)
        for number in [number for number, line in enumerate(lines) if line[:1] in _BLANKS]:
            blanks = lines[number][: -len(lines[number].lstrip(" \t")) or None]
            self.tShift[number], self.sCount[number] = len(blanks), len(blanks.expandtabs(4))

    def placed(self, line: int, begin: int) -> None:
        """Told of each block where it is `flat`: the line it begins on, and where its tokens begin."""

    def unparsed(self, line: int, end: int) -> str:
        """Return the text to show of lines that are past a budget."""
        return self.getLines(line, end, self.blkIndent, False).strip()

    def push(self, ttype: str, tag: str, nesting: Nesting) -> Token:
        """Append a new token."""
        if nesting < 0:
            self.level -= 1
        token = quick(ttype, tag, nesting, self.level)
        token.block = True
        if nesting > 0:
            self.level += 1
        self.tokens.append(token)
        return token


class InlineState(StateInline):
    """markdown-it's state of parsing a text. `places` are where web addresses may begin."""

    places: Sequence[int] = ()
    domains: Domains

    def pushPending(self) -> Token:
        """Append the text read so far as a token."""
        token = quick("text", "", 0, self.pendingLevel, self.pending)
        self.pending = ""
        self.tokens.append(token)
        return token

    def push(self, ttype: str, tag: str, nesting: Nesting) -> Token:
        """Append a new token, after the text read so far."""
        if self.pending:
            self.pushPending()
        if nesting < 0:
            self.level -= 1
            self.delimiters = self._prev_delimiters.pop()
        token = quick(ttype, tag, nesting, self.level)
        meta = None
        if nesting > 0:
            self.level += 1
            self._prev_delimiters.append(self.delimiters)
            self.delimiters = []
            meta = {"delimiters": self.delimiters}
        self.pendingLevel = self.level
        self.tokens.append(token)
        self.tokens_meta.append(meta)
        return token
