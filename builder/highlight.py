"""Fenced code as HTML: Pygments' lexers, a formatter of our own.

    <figure class="tp-code" data-language="js"><figcaption>app.js</figcaption>
    <pre tabindex="0"><code class="language-js">... <span class="k">const</span> ...</code></pre></figure>

With marked lines or line numbers each line is a `<span class="tp-line ...">`. Neighbours of one colour are
one span. The colours are the values of `CLASSES`; what is not there (names, operators, punctuation) has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape

from msgspec import Struct
from pygments.lexer import Lexer
from pygments.token import _TokenType

from builder import fences, lexers

MAX_PAGE = 96 * 1024
"""Characters of one page that are highlighted; whoever renders the page counts them, then uses `plain`."""

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

_LABEL = re.compile(r"[^\w+#.-]+")


class Fence(Struct, frozen=True):
    """A block as HTML, complete and safe. `over_budget`: it is shown plain because it is too long."""

    html: str
    title: str = ""
    language: str = ""
    over_budget: bool = False


# For pages that come again, in the preview and in tabs: on a site, two blocks of a hundred are alike.
@lru_cache(maxsize=512)
def fence(code: str, info: str) -> Fence:
    """A fenced block. `info` is the info string as it was written. Total."""
    read = fences.info(info)
    lexer = lexers.lexer_for(read.language.lower(), code)
    if lexer is None or lexers.fits(code, lexer.name):
        return _figure(code, read, lexer, over_budget=False)
    return _figure(code, read, None, over_budget=True)


def plain(code: str, info: str) -> Fence:
    """The same without highlighting, for pages that have spent their budget."""
    return _figure(code, fences.info(info), None, over_budget=True)


def _figure(code: str, info: fences.Info, lexer: Lexer | None, *, over_budget: bool) -> Fence:
    code = code if code.endswith("\n") or not code else f"{code}\n"
    lines = fences.lines(code, info.marks, info.language)
    inner = _spans(lines.code, lexer) if lexer else escape(lines.code, quote=False)
    if lines.classes or info.numbers:
        inner = _lined(inner, lines.classes)
    label = _LABEL.sub("", info.language)
    figure = f'<figure class="tp-code{" tp-numbers" if info.numbers else ""}"'
    language = f' data-language="{label}"' if label else ""
    code_class = f' class="language-{label.lower()}"' if label else ""
    caption = f"<figcaption>{escape(info.title)}</figcaption>" if info.title else ""
    html = f'{figure}{language}>{caption}<pre tabindex="0"><code{code_class}>{inner}</code></pre></figure>\n'
    return Fence(html, info.title, label, over_budget)


class _Names(dict[_TokenType, str]):
    """The class of every token type; filled as types are met, so that a look-up is a dictionary's."""

    def __missing__(self, kind: _TokenType) -> str:
        name = CLASSES.get(str(kind)[6:])
        if name is None:
            name = self[kind.parent] if kind.parent else ""
        self[kind] = name
        return name


_NAMES = _Names()


def _spans(code: str, lexer: Lexer) -> str:
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


def _lined(html: str, classes: Mapping[int, str]) -> str:
    """Each line in a span of its own; spans of colour are closed at its end and opened again on the next."""
    out: list[str] = []
    opening = ""
    for number, line in enumerate(html.removesuffix("\n").split("\n"), start=1):
        mark = f" {classes[number]}" if number in classes else ""
        whole = f"{opening}{line}".replace(f"{opening}</span>", "", 1) if opening else line
        start, end = whole.rfind("<span"), whole.rfind("</span>")
        opening = whole[start : whole.index(">", start) + 1] if start > end else ""
        out.append(f'<span class="tp-line{mark}">{whole}{"</span>" if opening else ""}\n</span>')
    return "".join(out)
