"""HTML of components: Jinja templates with autoescape, each compiled once, when it is first used."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, LiteralString

from markupsafe import Markup, escape

from components.base import Child

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_BLANKS = re.compile(r"[ \t\r\n\f\v]+")
_CODE = "<code>{{ text }}</code>"
CODE_SPAN = re.compile(r"(?<!`)`(?! +`)([^`]+)`(?!`)")
"""Code in the text of an attribute; longer runs of backticks are text."""
_SLASH = re.compile(r"(?<![/:])(?=/(?!/))")
_LINE_BREAK = re.compile(r"\n\s*")


def fill(template: LiteralString, **values: object) -> Markup:
    """The HTML of `template`, a constant. Text is escaped, `Markup` is taken as it is.

    Line breaks in the template and the indentation after them are for people who read it: they are removed.
    """
    return Markup(_compiled(template).render(values))


@cache
def _compiled(template: LiteralString) -> Template:
    return _environment().from_string(_LINE_BREAK.sub("", template))


@cache
def _environment() -> Environment:
    # Slow to load, and most commands that load components never render one.
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    return Environment(autoescape=True, undefined=StrictUndefined)


def content(children: Iterable[Child]) -> Markup:
    """The children's HTML in source order. The builder rendered it, so it is safe."""
    return Markup("\n").join(Markup(child.content) for child in children if child.content.strip())


_STRAY = '<div class="tp-stray">{{ content }}</div>'


def stray(child: Child) -> Markup:
    """A child of a kind that its parent does not expect, shown where it stands."""
    return fill(_STRAY, content=content([child])) if child.content.strip() else Markup("")


def coded(text: str) -> Markup:
    """An attribute's text on one line; text between two backticks becomes code."""
    parts = CODE_SPAN.split(one_line(text))
    shown = (fill(_CODE, text=part) if place % 2 else escape(part) for place, part in enumerate(parts))
    return Markup("").join(shown)


def address(text: str) -> Markup:
    """An address in which a line may break before a slash, so that words stay whole where possible."""
    return Markup("<wbr>").join(_SLASH.split(text))


def one_line(text: str) -> str:
    """An attribute's text with each run of blanks and line breaks as one space; other spaces are kept."""
    return _BLANKS.sub(" ", text).strip(" ")
