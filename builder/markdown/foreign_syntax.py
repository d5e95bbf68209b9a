"""Tell of text that means something to another system and nothing here, with the form to use.

What readers see as text is looked at, and in code what stands for something else there. Each form is told at
its place; none of them changes a page. `foreign_lines`, `foreign_marks` and `foreign_code` have the forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

from builder.lazy_regex import lazy
from builder.markdown import foreign_code, foreign_lines, foreign_marks
from builder.markdown.foreign_form import Foreign, beginning
from builder.markdown.mdx.chunk.chunks import Place
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.mdx.cursor.spots import ComponentOpening, SeenTag
from builder.markdown.mdx.inline_marks import Mark
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.tag_hints import SEEN
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
_IN_ATTRIBUTES = (*foreign_lines.BLOCKS, *foreign_marks.BRACES, *foreign_marks.MARKS, foreign_marks.ICON)
"""Those that attributes of tags are searched for: their values are plain text in each format."""

_TEXTS = frozenset({"inline", "html_block"})
"""Tokens whose content readers see as text."""
_TAGGED = frozenset({"component_open", "notice"})
"""Tokens that stand for a tag."""
_LONGEST = 20_000
"""Characters of one text that are looked at."""
_MOST = 50
"""Places of one form that are looked at in one text; one with more is an attack."""

_CODE_SPAN = lazy(r"(?<![`\\])(`+)(?!`)([^`]+(?:`+[^`]+){0,20}?)(?<!`)\1(?!`)")
_TAG = lazy(r"<!--.{0,2000}?-->|</?[A-Za-z!][^<>]{0,2000}>", re.DOTALL)
_SHOWN_AS_IT_IS = ("<pre", "<code", "<script", "<style", "<textarea", "<kbd", "<svg", "<math")


def look(parsed: Parsed, form: Format) -> None:
    """Find the forms of others in a parsed body, and put each into its reading."""
    tokens, extras = parsed.tokens, _extras(parsed, form)
    text = "\n".join([""] + [token.content for token in tokens if token.type in _TEXTS])
    forms, has_sign = _forms(_begun(text), form, extras)
    looking = _Looking(parsed, form, forms, Places(tokens, parsed.reading.body))
    tagged = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "fence":
            looking.code(token, index)
        elif kind in _TEXTS:
            if forms and has_sign(token.content):
                looking.text(token, index)
            if "<" in token.content:
                tagged.append(index)
        elif kind in _TAGGED:
            tagged.append(index)
    if tagged and form == "mdx":
        _look_at_attributes(looking, tagged)


def _begun(text: str) -> frozenset[str]:
    """The characters with which forms of others may begin in a text."""
    return frozenset(foreign_lines.SIGNS.findall(text) + foreign_marks.SIGNS.findall(text))


def _look_at_attributes(looking: _Looking, tagged: Iterable[int]) -> None:
    """Find the forms in the attributes that readers see as text; the tokens `tagged` may have some."""
    values = [value for index in tagged for value in _values(looking, index)]
    begun = _begun("\n".join(["", *(value.text for value in values)])) if values else frozenset()
    if begun:
        forms = tuple(foreign for foreign in _IN_ATTRIBUTES if foreign.sign[0] in begun)
        within = replace(looking, forms=forms)
        for value in values:
            within.attribute(value)


class _Value(Struct, frozen=True):
    """An attribute's value, where its tag is counted from, and where it begins there."""

    text: str
    place: Callable[[int], Place]
    start: int


def _values(looking: _Looking, index: int) -> Iterator[_Value]:
    """The attributes of one token's tags that readers see as text."""
    token = looking.parsed.tokens[index]
    opening: ComponentOpening | SeenTag | None = token.meta.get("opening")
    if opening is not None and opening.tag is not None:
        yield from _seen(opening.tag, opening.spot.place)
    for child in token.children or ():
        mark: Mark | None = child.meta.get("mark") if child.meta else None
        if mark is not None and mark.tag is not None:
            yield from _seen(mark.tag, partial(looking.places.place, index))


def _seen(tag: Tag, place: Callable[[int], Place]) -> Iterator[_Value]:
    for given in tag.attributes:
        if isinstance(given.value, str) and given.name in SEEN:
            yield _Value(given.value, place, given.value_start + 1)


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

    def attribute(self, value: _Value) -> None:
        """Tell of the forms in the value of an attribute."""
        for start, found, foreign in self._first(value.text, None):
            message = foreign.message(beginning(found[0]))
            hint = foreign.advice_in_attribute(found)
            self.parsed.reading.found(value.place(value.start + start), CODE, message, hint)

    def code(self, token: Token, index: int) -> None:
        """Tell of a code block that is something else elsewhere, or has something else in it."""
        chunk, line = self.places.chunk(index), token.map[0] if token.map else 0
        for row, message, hint in foreign_code.found_in(token, self.form, self.parsed.reading.extras):
            self.parsed.reading.found(Place(chunk, chunk.bounds(line + row)[0]), CODE, message, hint)

    def _tell(self, place: Place, text: str, found: re.Match[str], foreign: Foreign) -> None:
        shown = beginning(text[found.start() : found.end()])
        hint = foreign.advice(found, self.form, self.parsed.reading.extras)
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
                if children is None or (
                    not _is_escaped(text, found.start()) and _is_seen(foreign, given, children, seen)
                ):
                    indent = len(found[0]) - len(found[0].lstrip())
                    yield found.start() + indent, number, found, foreign

    def _is_defined(self, reference: str) -> bool:
        """Tell whether the page says where a reference leads."""
        text, _, label = reference[1:-1].rpartition("][")
        return normalizeReference(label or text) in self.parsed.env.get("references", ())


def _is_escaped(text: str, at: int) -> bool:
    """Tell whether what is at an offset of running text has a backslash before it."""
    before = text[:at] if text[at - 1 : at] == "\\" else ""
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


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
