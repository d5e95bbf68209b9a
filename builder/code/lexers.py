"""The lexer for a language, and whether it is quick on a piece of code.

Lexers are made for code that people wrote. On other text many of them look back and forth in time that grows
with the square, some with the cube of its length, so that 64 KB of one word would take a minute. What is
measured here is therefore not only length, and some lexers are given less than others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from builder.code.fast_lexer import quick
from builder.code.page_lexer import PageLexer

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
    try:
        found = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return None if found.name in ENDLESS else quick(found)


def fits(code: str, lexer: str) -> bool:
    """Whether the lexer of this name is quick on the code."""
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
