"""Tell of text that means something to another system and nothing here, with the form to use.

Only what readers see as text is looked at, and in code what stands for the lines of a file. Each form is told
at its place; none of them changes a page. The forms are those of MkDocs with its extensions, Docusaurus,
VitePress, mdBook, GitBook, Hugo and Jekyll.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.chunk.chunks import Place
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.syntax import Parsed
from builder.paths import Format
from components.admonition import TYPES

CODE = "foreign-syntax"
_MOST = 50
"""Places of one form that are looked at in one text."""

_KINDS = {
    "abstract": "info", "attention": "warning", "bug": "danger", "caution": "warning", "check": "tip",
    "done": "tip", "error": "danger", "example": "info", "fail": "danger", "failure": "danger", "faq": "info",
    "help": "info", "hint": "tip", "important": "info", "missing": "danger", "question": "info",
    "quote": "note", "seealso": "note", "success": "tip", "summary": "info", "tldr": "info",
}  # fmt: skip
"""Admonitions of other systems, and ours."""
_ALERTS = {"note": "NOTE", "tip": "TIP", "info": "IMPORTANT", "warning": "WARNING", "danger": "CAUTION"}


def _admonition(found: re.Match[str], form: Format) -> str:
    given = found["kind"].lower()
    kind = given if given in TYPES else _KINDS.get(given, "note")
    if form == "md":
        return f"write `> [!{_ALERTS.get(kind, 'NOTE')}]`, and `>` before each line of it"
    return f"write `:::{kind}` above it and `:::` below it, without the indentation"


class Foreign(Struct, frozen=True):
    """A form of others: its pattern in running text, what it is, and a hint; without one, see `_admonition`.

    `sign` stands in each text that has the form, so that others are not searched. `mdx` says that what the
    hint names is there in `mdx` alone. `only` is the one format that shows the form. With `extra` it is none
    of others. `seen` is what readers see of it, where it does not begin so.
    """

    sign: str
    pattern: re.Pattern[str]
    name: str
    hint: str = ""
    mdx: bool = False
    only: Format | None = None
    extra: str = ""
    seen: str = ""

    def advice(self, found: re.Match[str], form: Format) -> str:
        """The hint for one that was found."""
        if not self.hint:
            return _admonition(found, form)
        return _hinted(self.hint, form) if self.mdx else self.hint


def _hinted(hint: str, form: Format) -> str:
    """A hint at something that is there in `mdx` alone."""
    return f"rename the file to `.mdx` and {hint}" if form == "md" else hint


def _line(pattern: str) -> re.Pattern[str]:
    return lazy(rf"^[ \t]*(?:{pattern})", re.MULTILINE | re.IGNORECASE)


_TAB = 'write `<Tabs>` with a `<TabItem label="...">` for each'
_DETAILS = "write `<details>` with a `<summary>`"
_INCLUDE = 'add `includes` to `extras` in `site.yml` and write `<Include src="..."/>`, or put the text here'
_CONTENTS = "leave it out: every page has one"
_DIAGRAM = "add `diagrams` to `extras` in `site.yml`"
_FORMS = (
    Foreign("!!!", _line(r"!!!\+?[ \t]+(?P<kind>[a-z][\w-]*)[^\n]*"), "an admonition"),
    Foreign("???", _line(r"\?\?\?\+?[ \t]+[a-z][\w-]*[^\n]*"), "a collapsed admonition", _DETAILS),
    Foreign("///", _line(r"/{3,}[ \t]+details\b[^\n]*"), "a collapsed block", _DETAILS),
    Foreign("///", _line(r"/{3,}[ \t]+tab\b[^\n]*"), "a tab", _TAB, mdx=True),
    Foreign("///", _line(r"/{3,}[ \t]+(?P<kind>[a-z][\w-]*)(?=[ \t]*(?:\||$))[^\n]*"), "a block"),
    Foreign("===", _line(r"""===[!+]?[ \t]+["'][^\n]*"""), "a tab", _TAB, mdx=True),
    Foreign("8<", _line(r""";?-{1,}8<-{1,}[^\n]*"""), "a snippet", _INCLUDE, mdx=True),
    Foreign("<<<", _line(r"<<<[ \t]+[@./][^\n]*"), "an included file", _INCLUDE, mdx=True),
    Foreign(
        "{{#",
        lazy(r"\{\{#(?:rustdoc_)?(?:include|playground)[^}\n]*\}\}"),
        "an include",
        _INCLUDE,
        mdx=True,
        only="md",
    ),
    Foreign("{{", lazy(r"\{\{[<%][^\n]*?[>%]\}\}"), "a shortcode", "write what it stands for", only="md"),
    Foreign(
        "{%",
        lazy(r"\{%-?[ \t]+\w[^\n]*?%\}"),
        "a tag of a template language",
        "write what it stands for",
        only="md",
    ),
    Foreign("{", _line(r"\{[!*] *[\w./][^\n]*?[!*]\}"), "an include", _INCLUDE, mdx=True, only="md"),
    Foreign(
        "{",
        lazy(r"\{(?::[ \t]*[#.\w][^{}\n]*|[ \t]*\.[\w-][^{}\n]*|[ \t]+#[\w-]+[ \t]*)\}"),
        "a list of attributes",
        "leave it out; a heading can have `{#id}`",
        only="md",
    ),
    Foreign(
        "++",
        lazy(r"(?<![\w+])\+\+[a-z0-9]+(?:[-+][a-z0-9]+)*\+\+(?![\w+])", re.IGNORECASE),
        "a key",
        "write `<kbd>`, or add `keys` to `extras` in `site.yml`",
        extra="keys",
    ),
    Foreign(
        "==",
        lazy(r"(?<![\w=])==(?=[^\s=])[^=\n]{0,200}[^\s=]==(?![\w=])|(?<![\w=])==[^\s=]==(?![\w=])"),
        "marked text",
        "write `<mark>`",
    ),
    Foreign(
        "$$",
        lazy(r"\$\$[^$]+\$\$"),
        "a formula",
        "add `math` to `extras` in `site.yml`",
        mdx=True,
        extra="math",
    ),
    Foreign(
        ": ",
        lazy(r"(?<=\n)[ \t]{0,3}:[ \t]{1,4}\S[^\n]*"),
        "a definition list",
        "add `definition-lists` to `extras` in `site.yml`, or write a list",
        mdx=True,
        extra="definition-lists",
    ),
    Foreign(
        "*[",
        _line(r"\*\[[^\]\n]+\]:[^\n]*"),
        "an abbreviation",
        'write `<abbr title="...">` where the word is first used',
    ),
    Foreign("[TOC]", _line(r"\[TOC\][ \t]*$"), "a table of contents", _CONTENTS),
    Foreign("toc", _line(r"\[\[_?toc_?\]\][ \t]*$"), "a table of contents", _CONTENTS),
    Foreign(
        ":::",
        _line(r":::[ \t]+[a-z_]\w*(?:\.\w+)+[ \t]*$"),
        "a reference made from code",
        "write the reference, or link to where it is",
    ),
    Foreign(
        "][",
        lazy(r"(?<![\w\]])\[[^\[\]\n]+\]\[(?:[A-Za-z_]\w*(?:\.\w+)+)?\]"),
        "a reference to code",
        "write a link: `[text](address)`",
        seen="][",
    ),
    Foreign(
        ":",
        lazy(r":(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:"),
        "an icon",
        "write `:icon-name:` with a name of the page Icons, or leave it out",
        mdx=True,
    ),
    Foreign(
        ":",
        lazy(r":(?<![\w:/.-]:)(?!icon-)[a-z][a-z0-9_+-]{1,40}:(?![\w:/])"),
        "an emoji by its name",
        "write the character itself",
    ),
    Foreign(
        "{{",
        lazy(r"\{\{-?[ \t]*\w[^{}\n]{0,200}\}\}"),
        "a value of a template language",
        "write the value, or declare it under `variables` in `site.yml` and write `%{name}`",
        mdx=True,
        only="md",
    ),
    Foreign(
        "\\\\(",
        lazy(r"\\\\\([^\n]{1,400}?\\\\\)"),
        "a formula",
        "write `$...$` and add `math` to `extras` in `site.yml`",
        mdx=True,
        seen="\\(",
    ),
    Foreign(
        "\\\\[",
        _line(r"\\\\\[[^\n]{1,400}?\\\\\]"),
        "a formula",
        "write `$$...$$` and add `math` to `extras` in `site.yml`",
        mdx=True,
        seen="\\[",
    ),
    Foreign(
        "::",
        _line(r"\.\.[ \t][a-z-]+::[^\n]*"),
        "a directive of reStructuredText",
        "write it as markdown",
    ),
)


_CODE_OF_FILE = _line(
    r"""(?:\{\{#(?:rustdoc_)?include[ ][^}\n]+\}\}|-{1,}8<-{1,}[ ]+["'][^\n]+["'])[ \t]*$"""
)
"""What stands for the lines of a file in a code block of another system."""
_IN_CODE = ("{{#", "8<", "mermaid", "Mermaid")
"""Signs of what is looked for in code blocks."""
_FILE = 'add `includes` to `extras` in `site.yml` and write `file="..."` after the language'


def look(parsed: Parsed, form: Format) -> None:
    """Find the forms of others in a parsed body, and put each into its reading."""
    body, extras = parsed.reading.body, parsed.reading.extras if form == "mdx" else frozenset()
    forms = tuple(
        foreign
        for foreign in _FORMS
        if foreign.sign in body.text and foreign.only in (None, form) and foreign.extra not in extras
    )
    in_code = any(sign in body.text for sign in _IN_CODE)
    if not forms and not in_code:
        return
    looking = _Looking(parsed, form, forms, Places(parsed.tokens, body))
    has_sign = _any_of(tuple(foreign.sign for foreign in forms)).search
    for index, token in enumerate(parsed.tokens):
        if token.type == "inline":
            if has_sign(token.content):
                looking.text(token, index)
        elif token.type == "fence" and in_code:
            looking.code(token, index)


@lru_cache(maxsize=256)
def _any_of(signs: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds one of the signs; nothing when there are none."""
    return re.compile("|".join(map(re.escape, signs)) or r"(?!)")


class _Looking(Struct, frozen=True):
    """Looks for `forms` in one body."""

    parsed: Parsed
    form: Format
    forms: tuple[Foreign, ...]
    places: Places

    def text(self, token: Token, index: int) -> None:
        """Tell of the forms in running text."""
        for found, foreign in _found(token, self.forms):
            place = self.places.place(index, found.start())
            message = f"`{_shown(found[0])}` is {foreign.name} of another system, and is shown as text"
            self.parsed.reading.found(place, CODE, message, foreign.advice(found, self.form))

    def code(self, token: Token, index: int) -> None:
        """Tell of a code block that is a diagram, or has a file's lines, elsewhere."""
        line = token.map[0] if token.map else 0
        if found := _CODE_OF_FILE.search(token.content):
            line += 1 + token.content.count("\n", 0, found.start())
            message = f"`{_shown(found[0])}` is an include of another system, and is shown as code"
            hint = _hinted(_FILE, self.form)
        elif _is_diagram(token) and "diagrams" not in self.parsed.reading.extras:
            message, hint = "a diagram is shown as code", _hinted(_DIAGRAM, self.form)
        else:
            return
        chunk = self.places.chunk(index)
        self.parsed.reading.found(Place(chunk, chunk.bounds(line)[0]), CODE, message, hint)


def _is_diagram(token: Token) -> bool:
    return token.info.strip().split(" ", 1)[0].lower() in {"mermaid", "{mermaid}"}


def _found(token: Token, forms: Iterable[Foreign]) -> Iterator[tuple[re.Match[str], Foreign]]:
    """The forms in one text, each place once: what comes first in the list wins."""
    text = token.content
    near = [foreign for foreign in forms if foreign.sign in text]
    seen = "\n".join(child.content for child in token.children or () if child.type == "text")
    taken: list[tuple[int, int]] = []
    for foreign in near:
        # A text with very many is an attack: each is held against all of it.
        for found in islice(foreign.pattern.finditer(text), _MOST):
            inside = any(start <= found.start() < end for start, end in taken)
            if not inside and (foreign.seen or _start(found[0])) in seen:
                taken.append(found.span())
                yield found, foreign


def _start(found: str) -> str:
    """The beginning of a form, to where something else may begin in it."""
    start = found.split("\n", 1)[0].strip()
    head = re.split(r"[`*_<\[\\&]", start[3:], maxsplit=1)[0]
    return (start[:3] + head).rstrip()


def _shown(text: str) -> str:
    """The beginning of a form, on one line, as it stands in a message."""
    line = text.strip().split("\n", 1)[0].replace("`", "'")
    return line if len(line) <= 40 else f"{line[:39]}…"
