"""The lexer for pages in markdown: their frontmatter is YAML, and a heading of any level is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Generic, Punctuation, _TokenType

_FRONTMATTER = re.compile(r"(---[ \t]*\n)((?:(?!---[ \t]*$).*\n)*+)(---[ \t]*(?:\n|\Z))", re.MULTILINE)


class PageLexer(Lexer):
    """Pygments' own for both. By itself the one for markdown finds underlined headings in frontmatter."""

    name = "Markdown"

    def __init__(self) -> None:
        super().__init__()
        self._markdown = get_lexer_by_name("markdown")
        self._yaml = get_lexer_by_name("yaml")

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """The offset, type and text of each piece, in order."""
        found = _FRONTMATTER.match(text)
        if found:
            yield found.start(1), Punctuation, found[1]
            for at, kind, piece in self._yaml.get_tokens_unprocessed(found[2]):
                yield found.start(2) + at, kind, piece
            yield found.start(3), Punctuation, found[3]
        start = found.end() if found else 0
        for at, kind, piece in self._markdown.get_tokens_unprocessed(text[start:]):
            yield start + at, Generic.Heading if kind is Generic.Subheading else kind, piece
