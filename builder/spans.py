"""Code as escaped text and spans: what lexers say, in the few classes that have colours."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from pygments.lexer import Lexer
from pygments.token import _TokenType

from builder import lexers

CLASSES: Mapping[str, str] = {
    "Comment": "c",
    "Comment.Preproc": "k",
    "Comment.PreprocFile": "s",
    "Keyword": "k",
    "Keyword.Type": "nb",
    "Operator.Word": "k",
    "Literal.String": "s",
    "Literal.Number": "m",
    "Literal.Date": "s",
    "Name.Attribute": "na",
    "Name.Builtin": "nb",
    "Name.Class": "nf",
    "Name.Decorator": "nf",
    "Name.Exception": "nb",
    "Name.Function": "nf",
    "Name.Property": "na",
    "Name.Tag": "nt",
    "Name.Variable": "nv",
    "Generic.Deleted": "gd",
    "Generic.Inserted": "gi",
    "Generic.Heading": "k",
    "Generic.Subheading": "c",
    "Generic.Prompt": "gp",
    "Generic.Output": "go",
}
"""Token types, each with all below it, and their class: the short names of Pygments."""


class _Names(dict[_TokenType, str]):
    """The class of every token type; filled as types are met, so that a look-up is a dictionary's."""

    def __missing__(self, kind: _TokenType) -> str:
        name = CLASSES.get(str(kind)[6:])
        if name is None:
            name = self[kind.parent] if kind.parent else ""
        self[kind] = name
        return name


_NAMES = _Names()


def coloured(code: str, lexer: Lexer) -> str:
    """The code as escaped text and spans, neighbours of one class in one span.

    A lexer that loses text is not trusted: the code is then shown plain.
    """
    out: list[str] = []
    names, current, run, length = _NAMES, "", "", 0
    for piece in lexers.pieces(code):
        for _, kind, text in lexer.get_tokens_unprocessed(piece):
            length += len(text)
            name = names[kind]
            if name == current:
                run += text
            else:
                out.append(_span(current, run))
                current, run = name, text
    out.append(_span(current, run))
    return "".join(out) if length == len(code) else escape(code, quote=False)


def _span(name: str, text: str) -> str:
    if "&" in text or "<" in text or ">" in text:
        text = escape(text, quote=False)
    return f'<span class="{name}">{text}</span>' if name and text else text
