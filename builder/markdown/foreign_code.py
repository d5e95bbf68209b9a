"""Code blocks that are something else in other systems, or have forms of theirs in them.

They are diagrams and formulas where no extra draws them, directives of MyST, includes, remarks on lines,
marks for lines, and lines that mdBook hides.
"""

from __future__ import annotations

import re

from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.foreign_form import admonition, beginning, with_switch
from builder.markdown.mdx.tag_hints import BLOCKS, kind_of
from builder.paths import Format

Told = tuple[int, str, str]
"""A row, counted from the first line of the fence; a message; a hint."""


class ForeignCode(Struct, frozen=True):
    """A form in code blocks of these languages: the first of each in a block is told."""

    sign: str
    languages: re.Pattern[str]
    pattern: re.Pattern[str]
    name: str
    hint: str
    needs: str = ""


_ANY = lazy(r"")
_NO_TEXT = lazy(r"(?!(?:md|mdx|markdown|text|txt)\b)", re.IGNORECASE)
_RUST = lazy(r"\{?\.?rust\b", re.IGNORECASE)
_DIAGRAM = lazy(r"\{?\.?mermaid\b", re.IGNORECASE)
_FORMULA = lazy(r"math\b", re.IGNORECASE)
_OF_THE_WHOLE = lazy(r"[{.]|mermaid|math", re.IGNORECASE)
"""Beginnings of what may be told of a whole block."""
_DIRECTIVE = lazy(r"\{(?P<kind>[a-z][\w:-]{0,60})\}", re.IGNORECASE)
_DIRECTIVES = frozenset({
    "code-block", "code-cell", "eval-rst", "figure", "glossary", "image", "include", "list-table",
    "literalinclude", "toctree",
})  # fmt: skip
"""Directives of MyST that are no admonitions."""
_WORDS = lazy(
    r"""(?<=\s)(?:(?:(?:ins|del|mark|meta)=)?(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|/[^/\n]{1,200}/[dgimsuy]{0,7})"""
    r"""|(?:ins|del|mark)=\{/[^\n]{1,200}/[dgimsuy]{0,7}\})(?=\s|$)"""
)
"""Words behind the language that mark words in the code, as Expressive Code has them."""
_FILE = '{switch} and write `file="..."` after the language'

_IN_CODE = (
    ForeignCode(
        "{{#",
        _ANY,
        lazy(r"^[ \t]*\{\{#(?:rustdoc_)?include[ ][^}\n]+\}\}[ \t]*$", re.MULTILINE),
        "an include of another system",
        _FILE,
        needs="includes",
    ),
    ForeignCode(
        "8<",
        _ANY,
        lazy(r"""^[ \t]*-{1,}8<-{1,}[ ]+["'][^\n]+["'][ \t]*$""", re.MULTILINE),
        "an include of another system",
        _FILE,
        needs="includes",
    ),
    ForeignCode(
        ")!",
        _NO_TEXT,
        lazy(r"(?:#|//|--|;|%|/\*|<!--)[ \t]*\(\d{1,3}\)!(?=[ \t]*(?:\*/|-->)?[ \t]*$)", re.MULTILINE),
        "a mark for a remark of another system",
        "write the remark as a comment",
    ),
    ForeignCode(
        "[!code",
        _NO_TEXT,
        lazy(r"\[!code (?!(?:\+\+|--|highlight|hl)(?::\d{1,4})?\])[^\]\n]{1,40}\]"),
        "a mark for a line of another system",
        "`[!code highlight]`, `[!code ++]` and `[!code --]` mark lines",
    ),
    ForeignCode(
        "# ",
        _RUST,
        lazy(r"^[ \t]*#[ \t][^\n]{0,100}$", re.MULTILINE),
        "a line that mdBook hides",
        "leave the line out, or write `//` in the place of `#`",
    ),
)


def found_in(token: Token, form: Format, extras: frozenset[str]) -> list[Told]:
    """Return what is to be told of a code block on a site with these extras."""
    info, content = token.info.strip(), token.content
    told = _whole(info, form, extras) if _OF_THE_WHOLE.match(info) else []
    if ("'" in info or '"' in info or "/" in info) and (words := _WORDS.search(info)):
        message = f"`{beginning(words[0])}` marks words in another system, and is left out"
        told.append((0, message, "mark whole lines with their numbers, `{1,3-5}`, or leave it out"))
    for each in _IN_CODE:
        if each.sign not in content or not each.languages.match(info):
            continue
        if found := each.pattern.search(content):
            row = 1 + content.count("\n", 0, found.start())
            hint = with_switch(each.hint, each.needs, form, extras) if each.needs else each.hint
            told.append((row, f"`{beginning(found[0])}` is {each.name}, and is shown as code", hint))
    return told


def _whole(info: str, form: Format, extras: frozenset[str]) -> list[Told]:
    """Return what is to be told of the block as a whole."""
    for language, extra, name in ((_DIAGRAM, "diagrams", "a diagram"), (_FORMULA, "math", "a formula")):
        if language.match(info):
            told = (0, f"{name} is shown as code", with_switch("{switch}", extra, form, extras))
            return [] if form == "mdx" and extra in extras else [told]
    found = _DIRECTIVE.match(info)
    hint = _directive_hint(found["kind"].lower(), form) if found else ""
    if found is None or not hint:
        return []
    return [(0, f"`{beginning(found[0])}` is a directive of another system, and is shown as code", hint)]


def _directive_hint(kind: str, form: Format) -> str:
    """A hint for a directive of MyST; "" for a language between braces."""
    if kind in BLOCKS or kind_of(kind):
        return admonition(kind, form)
    return "write what it stands for" if kind in _DIRECTIVES else ""
