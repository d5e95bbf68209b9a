"""Tags as authors write them: an HTML tag or a JSX tag, with attributes over several lines.

    tag        = "<" name { space attribute } [ space ] [ "/" ] ">"  |  "</" name [ space ] ">"
    name       = letter { letter | digit | "-" }                  HTML
               | capital { letter | digit | "-" | "_" | "." }     JSX
    attribute  = key [ [ space ] "=" [ space ] value ] | "{" ... "}"
    key        = (letter | "_" | ":") { letter | digit | "_" | ":" | "." | "-" }
    value      = '"' ... '"' | "'" ... "'" | "{" ... "}" | bare
    space      = blanks and line ends, but no empty line; after a quote or brace there may be none

Quoted values hold no empty line either, so that a forgotten quote cannot swallow the paragraphs after it.
What begins as a component's tag and fits none of this is `broken`: it reaches to the next `>`, when no other
`<` and no empty line stand before that, and has no attributes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Container
from typing import Literal

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.javascript import Value, literal
from components.registry import COMPONENTS

Kind = Literal["open", "close", "void"]

_MOST_ATTRIBUTES = 200
"""A tag with more is text."""

_START = lazy(r"<(/?)([A-Z][\w.-]*|[a-z][a-z0-9-]*)", re.ASCII)
_SPACE = lazy(r"(?:[ \t]++|\n(?![ \t]*+\n))*")
_KEY = lazy(r"[A-Za-z_:][\w:.-]*", re.ASCII)
_BARE = lazy(r"""(?:[^\s"'=<>`{}/]|/(?!>))+""")
_EMPTY_LINE = lazy(r"\n[ \t]*\n")
_BROKEN = lazy(r"(?=[\s/\"'{=])(?:[^<>\n]++|\n(?![ \t]*+\n))*>")
_ENTITY = lazy(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


class Given(Struct, frozen=True):
    """An attribute as it was given. `value` is None for an expression that is no plain data.

    `start` is where its name stands, `value_start` to `value_end` where its value does, with its quotes or,
    when it is `braced`, its braces.
    """

    name: str
    value: Value | None
    start: int
    value_start: int
    value_end: int
    braced: bool = False


class Tag(Struct, frozen=True):
    """A complete tag from `start` to `end` of the text that was looked at, a region's or a paragraph's."""

    kind: Kind
    name: str
    start: int
    end: int
    attributes: tuple[Given, ...] = ()
    broken: bool = False

    def attribute(self, name: str) -> Given | None:
        """The attribute of this name; the last one counts."""
        return next((one for one in reversed(self.attributes) if one.name == name), None)


def tag_at(braces: Braces, start: int, components: Container[str] = COMPONENTS) -> Tag | None:
    """The tag that begins with the `<` at `start` of the text of `braces`, or None when that is no tag.

    `components` are the names that are known on this site.
    """
    found = _START.match(braces.text, start)
    if found is None:
        return None
    return _whole(braces, found) or (_broken(found) if found[2] in components and not found[1] else None)


def _broken(found: re.Match[str]) -> Tag | None:
    rest = _BROKEN.match(found.string, found.end())
    if rest is None:
        return None
    kind: Kind = "void" if rest[0].endswith("/>") else "open"
    return Tag(kind, found[2], found.start(), rest.end(), broken=True)


def _whole(braces: Braces, found: re.Match[str]) -> Tag | None:
    text, start, pos = braces.text, found.start(), found.end()
    attributes: list[Given] = []
    while True:
        gap = _space(text, pos)
        ending = _ending(text, gap)
        if ending and found[1]:
            return Tag("close", found[2], start, gap + 1) if ending == ">" else None
        if ending:
            kind: Kind = "void" if ending == "/>" else "open"
            return Tag(kind, found[2], start, gap + len(ending), tuple(attributes))
        apart = gap > pos or text[pos - 1] in "\"'}"
        given = _attribute(braces, gap) if apart and not found[1] else None
        if given is None:
            return None
        attributes.append(given[0])
        if len(attributes) > _MOST_ATTRIBUTES:
            return None
        pos = given[1]


def _space(text: str, pos: int) -> int:
    found = _SPACE.match(text, pos)
    return found.end() if found else pos


def _ending(text: str, pos: int) -> str:
    if text.startswith(">", pos):
        return ">"
    return "/>" if text.startswith("/>", pos) else ""


def _attribute(braces: Braces, start: int) -> tuple[Given, int] | None:
    """The attribute at `start` and the offset after it."""
    text = braces.text
    if text.startswith("{", start):
        end = braces.end(start)
        return (Given("", None, start, start, end), end) if end > 0 else None
    key = _KEY.match(text, start)
    if key is None:
        return None
    equals = _space(text, key.end())
    if not text.startswith("=", equals):
        return Given(key[0], True, start, key.end(), key.end()), key.end()
    return _value(braces, key[0], start, _space(text, equals + 1))


def _value(braces: Braces, name: str, start: int, pos: int) -> tuple[Given, int] | None:
    text, quote = braces.text, braces.text[pos : pos + 1]
    if quote == "{":
        end = braces.end(pos)
        value = literal(text[pos + 1 : end - 1]) if end > 0 else None
        return (Given(name, value, start, pos, end, braced=True), end) if end > 0 else None
    if quote in {'"', "'"}:
        end = text.find(quote, pos + 1)
        if end < 0 or _EMPTY_LINE.search(text, pos, end):
            return None
        return Given(name, decode(text[pos + 1 : end]), start, pos, end + 1), end + 1
    bare = _BARE.match(text, pos)
    return (Given(name, decode(bare[0]), start, pos, bare.end()), bare.end()) if bare else None


def decode(value: str) -> str:
    """The value with its entities decoded; an `&` that begins none is an `&`."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), value) if "&" in value else value
