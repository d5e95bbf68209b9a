"""The lexer for pages in markdown: frontmatter is YAML, headings of all levels are alike, tags are tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Generic, Keyword, Name, Punctuation, String, Text, _TokenType

from builder.code.fast_lexer import quick

_FRONTMATTER = re.compile(r"(---[ \t]*\n)((?:(?!---[ \t]*$).*+\n)*)(---[ \t]*(?:\n|\Z))", re.MULTILINE)
_TAG = re.compile(
    r"(</?[A-Za-z][\w.-]*)((?:[^<>\"']++|\"[^\"\n]*+\"|'[^'\n]*+')*)(>)|^(:{3,}[ \t]*[\w-]*)", re.MULTILINE
)
_ATTRIBUTE = re.compile(r"([\w:.-]+)(=?)(\"[^\"\n]*\"|'[^'\n]*'|\{[^{}\n]*\})?|(/)$")

Piece = tuple[int, _TokenType, str]


class PageLexer(Lexer):
    """Pygments' own for both. By itself the one for markdown finds underlined headings in frontmatter."""

    name = "Markdown"

    def __init__(self) -> None:
        super().__init__()
        self._markdown = quick(get_lexer_by_name("markdown"))
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
        pieces = self._markdown.get_tokens_unprocessed(text[start:])
        for at, kind, piece in _with_tags(_joined(pieces)):
            yield start + at, Generic.Heading if kind is Generic.Subheading else kind, piece


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, with those of plain text that stand together as one."""
    start, run = 0, ""
    for at, kind, piece in pieces:
        if kind is Text or kind is Text.Whitespace:
            start, run = (start, run + piece) if run else (at, piece)
            continue
        if run:
            yield start, Text, run
            run = ""
        yield at, kind, piece
    if run:
        yield start, Text, run


def _with_tags(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, with tags and the marks of admonitions taken out of plain text."""
    for at, kind, piece in pieces:
        if kind is not Text:
            yield at, kind, piece
            continue
        done = 0
        for found in _TAG.finditer(piece):
            yield at + done, Text, piece[done : found.start()]
            done = found.end()
            if found[4]:
                yield at + found.start(), Keyword, found[4]
                continue
            yield at + found.start(), Name.Tag, found[1]
            yield from _attributes(at + found.start(2), found[2])
            yield at + found.start(3), Name.Tag, found[3]
        yield at + done, Text, piece[done:]


def _attributes(at: int, text: str) -> Iterator[Piece]:
    """What stands in a tag after its name."""
    done = 0
    for found in _ATTRIBUTE.finditer(text):
        yield at + done, Text, text[done : found.start()]
        done = found.end()
        if found[4]:
            yield at + found.start(), Name.Tag, found[4]
            continue
        yield at + found.start(), Name.Attribute, found[1] + found[2]
        if found[3]:
            yield at + found.start(3), String, found[3]
    yield at + done, Text, text[done:]
