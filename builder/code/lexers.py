"""The lexer for a language, whether it is quick on a piece of code, and the code in its colours.

Lexers are made for code that people wrote. On other text many of them look back and forth in time that grows
with the square, some with the cube of its length, so that 64 KB of one word would take a minute. What is
measured here is therefore not only length, and some lexers are given less than others.

Pages in markdown have a lexer of our own: frontmatter is YAML, headings of all levels are alike, tags are
tags. Whoever needs no colours does without this module: it loads Pygments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Generic, Keyword, Name, Punctuation, String, Text, _TokenType

from builder.code.fast_lexer import quick, runs

_FRONTMATTER = re.compile(r"(---[ \t]*\n)((?:(?!---[ \t]*$).*+\n)*)(---[ \t]*(?:\n|\Z))", re.MULTILINE)
_TAG = re.compile(
    r"(</?[A-Za-z][\w.-]*)((?:[^<>\"']++|\"[^\"\n]*+\"|'[^'\n]*+')*)(>)|^(:{3,}[ \t]*[\w-]*)", re.MULTILINE
)
_ATTRIBUTE = re.compile(r"([\w:.-]+)(=?)(\"[^\"\n]*\"|'[^'\n]*'|\{[^{}\n]*\})?|(/)$")

Piece = tuple[int, _TokenType, str]

MAX_CODE = 64 * 1024
"""Characters of one block that are highlighted; a longer block is shown plain."""

PIECE = 6_000
"""Characters that a lexer is given at once; what it would know from further above is lost."""

ALWAYS = 1_000
"""Characters on which every lexer is quick."""

MAX_SLOW = 2_000
MAX_LINE = 1_000
MAX_LINE_SLOW = 250
MAX_BLANK = 200
MAX_WORDS = 500
MAX_OPEN = 20
MAX_UNMATCHED = 200
"""Characters for a slow lexer, of a line, of a line for lexers that are slow on long ones, of white space, of
words without punctuation; comments and brackets left open."""

ALIASES: Mapping[str, str] = {
    "astro": "html", "cjs": "javascript", "cmd": "bat", "csv": "", "curl": "bash", "dotenv": "bash",
    "ejs": "html", "env": "bash", "gql": "graphql", "gradle": "groovy", "hbs": "handlebars", "jsonc": "json",
    "kt": "kotlin", "mdx": "markdown", "mjs": "javascript", "njk": "jinja", "node": "javascript",
    "patch": "diff", "sh-session": "console", "sqlite": "sql", "svelte": "html", "vue": "html",
    "wasm": "wast",
}  # fmt: skip
"""Languages that people write and Pygments knows by another name, or by none that is near enough."""

_MARKDOWN = frozenset({"markdown", "md"})
_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "raw", "none", "output", "log"})

ENDLESS = frozenset({"MCSchema", "Maple", "Smithy"})
"""Maple and Smithy look at a string without an end twice as long for each line of it, MCSchema stays for ever
at `<!--`. What they read is shown plain."""

_SESSIONS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), ("$ ", "console")),
    **dict.fromkeys(("python", "py", "python3"), (">>> ", "pycon")),
}
"""The prompt that no program in the language begins with, and the language of what is typed at it."""

_WORDY = frozenset({
    "AspectJ", "C#", "Ceylon", "Dart", "Gosu", "Groovy", "Java", "Kotlin", "Nemerle", "Ragel in Java Host",
    "SARL", "Scala", "Thrift", "X++", "Xtend",
})  # fmt: skip
"""These look for a method's name behind any number of words."""

_SLOW_ON_LINES = frozenset({
    "ApacheConf", "Base Makefile", "Crystal", "Desktop file", "Fantom", "Gnuplot",
    "Javascript+mozpreproc", "LDIF", "LLVM", "LiveScript", "Makefile", "Nix", "OCaml", "Perl6",
    "PowerShell", "SPARQL", "Soong", "TSX", "Terraform", "Turtle", "TypeScript", "USD", "reg",
})  # fmt: skip

_SLOW = frozenset({
    "AutoIt", "CSS+mozpreproc", "Devicetree", "Kal", "Objective-J", "Systemd", "Typographic Number Theory",
    "Zeek", "autohotkey", "urlencoded",
})  # fmt: skip

_HEREDOCS = frozenset({"Terraform"})
"""For each heredoc without an end, these give all lines below it, and read them again afterwards."""
MAX_HEREDOCS = 30

_LANGUAGE = re.compile(r"^ {0,3}(?:```|~~~)([\w+#-]{1,20})[ \t]*$", re.MULTILINE)
"""A fence with its language alone."""
_BLANK = re.compile(rf"(?<!\s)\s{{{MAX_BLANK}}}")
_WORDS = re.compile(rf"(?<![\w\s.$\[\]<>?,@&*])[\w\s.$\[\]<>?,@&*]{{{MAX_WORDS}}}")
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
            yield from _tag_attributes(at + found.start(2), found[2])
            yield at + found.start(3), Name.Tag, found[3]
        yield at + done, Text, piece[done:]


def _tag_attributes(at: int, text: str) -> Iterator[Piece]:
    """Yield the pieces of a tag after its name."""
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


def lexer_for(language: str, code: str) -> Lexer | None:
    """The lexer of this code: a shell's or Python's is another when the code begins with a prompt."""
    prompt, session = _SESSIONS.get(language, ("", ""))
    return lexer(session if prompt and code.startswith(prompt) else language)


@lru_cache(maxsize=256)
def lexer(language: str) -> Lexer | None:
    """The lexer of a language in lower case, or None; making one takes milliseconds, so they are kept."""
    language = ALIASES.get(language, language)
    if language in _PLAIN:
        return None
    if language in _MARKDOWN:
        return PageLexer()
    if language not in _languages():
        return None
    found = get_lexer_by_name(language)
    return None if found.name in ENDLESS else quick(found)


@cache
def _languages() -> frozenset[str]:
    """The names of Pygments' own lexers.

    Others may be installed beside it, on one machine and not on the next, which is to make the same page.
    """
    return frozenset(name.lower() for _, names, _, _ in get_all_lexers(plugins=False) for name in names)


def load(texts: Iterable[str]) -> None:
    """Make the lexers of the languages in these texts; some take 20 ms. The code itself is not read."""
    for language in sorted({language for text in texts for language in _LANGUAGE.findall(text)}):
        lexer(language.lower())


def fits(code: str, lexer: str) -> bool:
    """Return whether the lexer of this name is quick on the code."""
    if lexer in _HEREDOCS and code.count("<<") > MAX_HEREDOCS:
        return False
    if len(code) <= ALWAYS:
        return True
    if len(code) > (MAX_SLOW if lexer in _SLOW else MAX_CODE) or _BLANK.search(code):
        return False
    longest = max(map(len, code.split("\n")))
    if longest > (MAX_LINE_SLOW if lexer in _SLOW_ON_LINES else MAX_LINE):
        return False
    if lexer in _WORDY and _WORDS.search(code):
        return False
    closed = all(code.count(first, code.rfind(last) + 1) <= MAX_OPEN for first, last in _COMMENTS)
    return closed and all(code.count(first) - code.count(last) <= MAX_UNMATCHED for first, last in _BRACKETS)


def pieces(code: str) -> Iterator[str]:
    """Code that fits, in pieces of whole lines, cut after an empty line where there is one."""
    start = 0
    while len(code) - start > PIECE:
        cut = code.rfind("\n\n", start + PIECE // 2, start + PIECE)
        end = cut + 2 if cut >= 0 else code.find("\n", start + PIECE - MAX_LINE) + 1
        yield code[start:end]
        start = end
    yield code[start:]


def coloured(code: str, lexer: Lexer) -> str:
    """The code as escaped text and spans, neighbours of one class in one span.

    A lexer that loses text is not trusted: the code is then shown plain.
    """
    out: list[str] = []
    current, run, length = "", "", 0
    for piece in pieces(code):
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
