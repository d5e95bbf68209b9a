"""Code as escaped text and spans of the few classes that have colours."""

from __future__ import annotations

from html import escape

from pygments.lexer import Lexer

from builder.code import lexers
from builder.code.fast_lexer import runs


def coloured(code: str, lexer: Lexer) -> str:
    """The code as escaped text and spans, neighbours of one class in one span.

    A lexer that loses text is not trusted: the code is then shown plain.
    """
    out: list[str] = []
    current, run, length = "", "", 0
    for piece in lexers.pieces(code):
        for name, text in runs(lexer, piece):
            length += len(text)
            if name == current:
                run += text
            elif text:
                out.append(_span(current, run))
                current, run = name, text
    out.append(_span(current, run))
    return "".join(out) if length == len(code) else escape(code, quote=False)


def _span(name: str, text: str) -> str:
    if "&" in text or "<" in text or ">" in text:
        text = escape(text, quote=False)
    return f'<span class="{name}">{text}</span>' if name and text else text
