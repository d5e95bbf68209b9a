"""Tell of text that means something to another system and nothing here, with the form to use.

What readers see as text is looked at, and in code what stands for something else there. Each form is told at
its place; none of them changes a page. `foreign_lines` and `foreign_marks` have the forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from itertools import islice

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown import foreign_lines, foreign_marks
from builder.markdown.foreign_form import Foreign, admonition, in_mdx
from builder.markdown.mdx.chunk.chunks import Place
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.mdx.tag_hints import BLOCKS, kind_of
from builder.markdown.syntax import Parsed
from builder.paths import Format

CODE = "foreign-syntax"
FORMS = (
    *foreign_lines.BLOCKS,
    *foreign_lines.STATEMENTS,
    *foreign_marks.BRACES,
    *foreign_marks.MARKS,
    *foreign_marks.REFERENCES,
)
"""All of them; of two that begin at one place the first counts."""

_TEXTS = frozenset({"inline", "html_block"})
"""Tokens whose content readers see as text."""
_LONGEST = 20_000
"""Characters of one text that are looked at."""
_MOST = 50
"""Places of one form that are looked at in one text; one with more is an attack."""

_CODE_SPAN = lazy(r"(?<![`\\])(`+)(?!`)([^`]+(?:`+[^`]+){0,20}?)(?<!`)\1(?!`)")
_TAG = lazy(r"<!--.{0,2000}?-->|</?[A-Za-z!][^<>]{0,2000}>", re.DOTALL)
_SHOWN_AS_IT_IS = ("<pre", "<code", "<script", "<style", "<textarea", "<kbd", "<svg", "<math")


class ForeignCode(Struct, frozen=True):
    """A form in code blocks of these languages: the first of each in a block is told."""

    sign: str
    languages: re.Pattern[str]
    pattern: re.Pattern[str]
    name: str
    hint: str
    mdx: bool = False


_ANY = lazy(r"")
_NO_TEXT = lazy(r"(?!(?:md|mdx|markdown|text|txt)\b)", re.IGNORECASE)
_RUST = lazy(r"\{?\.?rust\b", re.IGNORECASE)
_DIAGRAM = lazy(r"\{?\.?mermaid\b", re.IGNORECASE)
_FORMULA = lazy(r"math\b", re.IGNORECASE)
_DIRECTIVE = lazy(r"\{(?P<kind>[a-z][\w:-]{0,60})\}", re.IGNORECASE)
_DIRECTIVES = frozenset({
    "code-block", "code-cell", "eval-rst", "figure", "glossary", "image", "include", "list-table",
    "literalinclude", "toctree",
})  # fmt: skip
"""Directives of MyST that are no admonitions."""
_FILE = 'add `includes` to `extras` in `site.yml` and write `file="..."` after the language'

_IN_CODE = (
    ForeignCode(
        "{{#",
        _ANY,
        lazy(r"^[ \t]*\{\{#(?:rustdoc_)?include[ ][^}\n]+\}\}[ \t]*$", re.MULTILINE),
        "an include of another system",
        _FILE,
        mdx=True,
    ),
    ForeignCode(
        "8<",
        _ANY,
        lazy(r"""^[ \t]*-{1,}8<-{1,}[ ]+["'][^\n]+["'][ \t]*$""", re.MULTILINE),
        "an include of another system",
        _FILE,
        mdx=True,
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


def look(parsed: Parsed, form: Format) -> None:
    """Find the forms of others in a parsed body, and put each into its reading."""
    tokens, extras = parsed.tokens, _extras(parsed, form)
    text = "\n".join([""] + [token.content for token in tokens if token.type in _TEXTS])
    begun = frozenset(foreign_lines.SIGNS.findall(text) + foreign_marks.SIGNS.findall(text))
    forms, has_sign = _forms(begun, form, extras)
    looking = _Looking(parsed, form, forms, Places(tokens, parsed.reading.body))
    for index, token in enumerate(tokens):
        if token.type == "fence":
            looking.code(token, index)
        elif forms and token.type in _TEXTS and has_sign(token.content):
            looking.text(token, index)


def _extras(parsed: Parsed, form: Format) -> frozenset[str]:
    """The extras that act on the page."""
    return parsed.reading.extras if form == "mdx" else frozenset()


@lru_cache(maxsize=256)
def _forms(
    begun: frozenset[str], form: Format, extras: frozenset[str]
) -> tuple[tuple[Foreign, ...], Callable[[str], object]]:
    """The forms that begin with one of these characters, and a search for one of their signs."""
    forms = tuple(
        foreign
        for foreign in FORMS
        if foreign.sign[0] in begun and foreign.only in (None, form) and foreign.extra not in extras
    )
    signs = dict.fromkeys(foreign.sign for foreign in forms)
    return forms, re.compile("|".join(map(re.escape, signs)) or r"(?!)").search


class _Looking(Struct, frozen=True):
    """Looks for `forms` in one body."""

    parsed: Parsed
    form: Format
    forms: tuple[Foreign, ...]
    places: Places

    def text(self, token: Token, index: int) -> None:
        """Tell of the forms in running text, or between the tags of a block of raw HTML."""
        if token.type == "html_block":
            self._html(token, index)
            return
        for start, found, foreign in self._first(token.content, token.children or ()):
            self._tell(self.places.place(index, start), token.content, found, foreign)

    def _html(self, token: Token, index: int) -> None:
        text = token.content
        if any(opening in text for opening in _SHOWN_AS_IT_IS):
            return
        chunk, line = self.places.chunk(index), token.map[0] if token.map else 0
        for start, found, foreign in self._first(_TAG.sub(_blank, text[:_LONGEST]), None):
            row, column = text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1
            self._tell(Place(chunk, chunk.bounds(line + row)[0] + column), text, found, foreign)

    def code(self, token: Token, index: int) -> None:
        """Tell of a code block that is something else elsewhere, or has something else in it."""
        chunk, line, info = self.places.chunk(index), token.map[0] if token.map else 0, token.info.strip()
        if told := self._block(info):
            self.parsed.reading.found(Place(chunk, chunk.bounds(line)[0]), CODE, *told)
        for each in _IN_CODE:
            if each.sign not in token.content or not each.languages.match(info):
                continue
            if found := each.pattern.search(token.content):
                row = line + 1 + token.content.count("\n", 0, found.start())
                message = f"`{_shown(found[0])}` is {each.name}, and is shown as code"
                hint = in_mdx(each.hint, self.form) if each.mdx else each.hint
                self.parsed.reading.found(Place(chunk, chunk.bounds(row)[0]), CODE, message, hint)

    def _block(self, info: str) -> tuple[str, str] | None:
        """A message and a hint for a whole block of code."""
        extras = _extras(self.parsed, self.form)
        for language, extra, name in ((_DIAGRAM, "diagrams", "a diagram"), (_FORMULA, "math", "a formula")):
            if language.match(info):
                hint = in_mdx(f"add `{extra}` to `extras` in `site.yml`", self.form)
                return None if extra in extras else (f"{name} is shown as code", hint)
        found = _DIRECTIVE.match(info)
        hint = _directive_hint(found["kind"].lower(), self.form) if found else ""
        if found is None or not hint:
            return None
        return f"`{_shown(found[0])}` is a directive of another system, and is shown as code", hint

    def _tell(self, place: Place, text: str, found: re.Match[str], foreign: Foreign) -> None:
        shown = _shown(text[found.start() : found.end()])
        hint = foreign.advice(found, self.form)
        self.parsed.reading.found(place, CODE, foreign.message(shown), hint)

    def _first(
        self, text: str, children: Sequence[Token] | None
    ) -> Iterator[tuple[int, re.Match[str], Foreign]]:
        """The forms in one text, none within another; `children` show it, or it is shown as it is."""
        end = 0
        for start, _, found, foreign in sorted(self._all(text[:_LONGEST], children), key=lambda one: one[:2]):
            if start >= end:
                end = found.end()
                yield start, found, foreign

    def _all(
        self, text: str, children: Sequence[Token] | None
    ) -> Iterator[tuple[int, int, re.Match[str], Foreign]]:
        """The forms in one text with where they begin, and their numbers."""
        seen: dict[str, str] = {}
        plain = _CODE_SPAN.sub(_covered, text) if "`" in text else text
        for number, foreign in enumerate(self.forms):
            if foreign.sign not in text:
                continue
            searched = text if foreign.shown == "code_inline" else plain
            for found in islice(foreign.pattern.finditer(searched), _MOST):
                given = text[found.start() : found.end()]
                if foreign.sign == "][" and self._is_defined(given):
                    continue
                if children is None or _is_seen(foreign, given, children, seen):
                    indent = len(found[0]) - len(found[0].lstrip())
                    yield found.start() + indent, number, found, foreign

    def _is_defined(self, reference: str) -> bool:
        """Tell whether the page says where a reference leads."""
        text, _, label = reference[1:-1].rpartition("][")
        return normalizeReference(label or text) in self.parsed.env.get("references", ())


def _directive_hint(kind: str, form: Format) -> str:
    """A hint for a directive of MyST; "" for a language between braces."""
    if kind in BLOCKS or kind_of(kind):
        return admonition(kind, form)
    return "write what it stands for" if kind in _DIRECTIVES else ""


def _is_seen(foreign: Foreign, text: str, children: Sequence[Token], seen: dict[str, str]) -> bool:
    """Tell whether tokens of the form's kind show the beginning of it; `seen` keeps what they show."""
    kind = foreign.shown
    if kind not in seen:
        shown = [child.content for child in children if child.type == kind]
        seen[kind] = "\n" + "\n".join(shown) if shown else ""
    start = _start(text) if foreign.seen is None else foreign.seen
    return bool(seen[kind]) and start in seen[kind]


def _start(found: str) -> str:
    """The beginning of a form, to where something else may begin in it."""
    start = found.strip().split("\n", 1)[0]
    head = re.split(r"[`*_<\[\\&{]", start[3:], maxsplit=1)[0]
    return (start[:3] + head).rstrip()


def _covered(span: re.Match[str]) -> str:
    """A code span with nothing in it that could be a form."""
    return f"{span[1]}{'x' * len(span[2])}{span[1]}"


def _blank(tag: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", tag[0])


def _shown(text: str) -> str:
    """The beginning of a form, on one line, as it stands in a message."""
    line = unescape(text.strip().split("\n", 1)[0]).replace("`", "'")
    return line if len(line) <= 40 else f"{line[:39]}…"
