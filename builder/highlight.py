"""Fenced code as HTML: Pygments' lexers, a formatter of our own.

    <figure class="tp-code" data-language="js"><figcaption>app.js</figcaption>
    <pre tabindex="0"><code class="language-js">... <span class="k">const</span> ...</code></pre></figure>

With marked lines or line numbers each line is a `<span class="tp-line ...">`. Neighbours of one colour are
one span. The colours are the values of `CLASSES`; what is not there (names, operators, punctuation) has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import _TokenType
from pygments.util import ClassNotFound

from builder import fences

MAX_CODE = 64 * 1024
"""Characters of one block that are highlighted; a longer block is shown plain."""

MAX_PAGE = 96 * 1024
"""Characters of one page that are highlighted; whoever renders the page counts them, then uses `plain`."""

PIECE = 6_000
"""Characters that a lexer is given at once; what it would know from further above is lost."""

MAX_LINE = 1_000
MAX_BLANK = 200
MAX_OPEN = 20
MAX_UNMATCHED = 200
"""Characters of a line, white space in a row, comments and brackets left open: within these, lexers look back
and forth, in time that grows with the square of their length or worse."""

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

ALIASES: Mapping[str, str] = {
    "astro": "html", "cjs": "javascript", "cmd": "bat", "csv": "", "curl": "bash", "dotenv": "bash",
    "ejs": "html", "env": "bash", "gql": "graphql", "gradle": "groovy", "hbs": "handlebars",
    "jsonc": "json", "kt": "kotlin",
    "mdx": "markdown", "mjs": "javascript", "njk": "jinja", "node": "javascript", "patch": "diff",
    "sh-session": "console", "sqlite": "sql", "svelte": "html", "vue": "html", "wasm": "wast",
}  # fmt: skip
"""Languages that people write and Pygments knows by another name, or by none that is near enough."""

_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "raw", "none", "output", "log"})
_BLANK = re.compile(rf"(?<!\s)\s{{{MAX_BLANK}}}")
_COMMENTS = (
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("{#", "#}"),
    ("--[[", "]]"),
    ("<#", "#>"),
)
_BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"))
_WORDY = frozenset({"C#", "Java", "Groovy", "AspectJ", "Kotlin", "Scala", "Dart"})
_WORDS = re.compile(r"(?<![\w\s.$\[\]<>?,@&*])[\w\s.$\[\]<>?,@&*]{500}")
_LABEL = re.compile(r"[^\w+#.-]+")


@dataclass(frozen=True, slots=True)
class Fence:
    """A block as HTML, complete and safe. `over_budget`: it is shown plain because it is too long."""

    html: str
    title: str = ""
    language: str = ""
    over_budget: bool = False


@lru_cache(maxsize=2048)
def fence(code: str, info: str) -> Fence:
    """A fenced block. `info` is the info string with entities and escapes decoded. Total."""
    read = fences.info(info)
    lexer = _lexer(read.language.lower())
    if lexer is None or _fits(code, lexer.name):
        return _figure(code, read, lexer, over_budget=False)
    return _figure(code, read, None, over_budget=True)


def plain(code: str, info: str) -> Fence:
    """The same without highlighting, for pages that have spent their budget."""
    return _figure(code, fences.info(info), None, over_budget=True)


def _figure(code: str, info: fences.Info, lexer: Lexer | None, *, over_budget: bool) -> Fence:
    lines = fences.lines(code if code.endswith("\n") or not code else f"{code}\n", info.marks)
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


@lru_cache(maxsize=256)
def _lexer(language: str) -> Lexer | None:
    """The lexer of a language, or None; making one takes milliseconds, so they are kept."""
    language = ALIASES.get(language, language)
    if language in _PLAIN:
        return None
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


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
    for piece in _pieces(code):
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


def _pieces(code: str) -> Iterator[str]:
    """Long code in pieces of whole lines, cut after an empty line where there is one."""
    start = 0
    while len(code) - start > PIECE:
        cut = code.rfind("\n\n", start + PIECE // 2, start + PIECE)
        end = cut + 2 if cut >= 0 else code.find("\n", start + PIECE - MAX_LINE) + 1
        yield code[start:end]
        start = end
    yield code[start:]


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


def _fits(code: str, lexer: str) -> bool:
    """Whether the lexer is quick on the code; on little code they all are."""
    if len(code) <= MAX_LINE:
        return True
    if len(code) > MAX_CODE or max(map(len, code.split("\n"))) > MAX_LINE or _BLANK.search(code):
        return False
    if lexer in _WORDY and _WORDS.search(code):
        return False
    closed = all(code.count(first, code.rfind(last) + 1) <= MAX_OPEN for first, last in _COMMENTS)
    return closed and all(code.count(first) - code.count(last) <= MAX_UNMATCHED for first, last in _BRACKETS)
