"""The place of the repeated piece on its page."""

from __future__ import annotations

from itertools import count

from msgspec import Struct

PART = 3
"""The number of pieces in each small part."""


class Place(Struct, frozen=True):
    """The text around one run of pieces; of a place for `parts` around a few, again and again."""

    before: str = ""
    after: str = ""
    first: str = ""
    parts: bool = False

    def text(self, piece: str, size: int, then: str = "") -> str:
        """A page of about so many bytes; the second half of the run is of pieces `then`, if there are any.

        Each `%d` in a piece is a number, another one in each.
        """
        if self.parts:
            return self.first + _run(f"{self.before}{piece * PART}{then * PART}{self.after}", size)
        run = _run(piece, size // 2) + _run(then, size // 2) if then else _run(piece, size)
        return f"{self.first}{self.before}{run}{self.after}"


def _run(piece: str, size: int) -> str:
    if "%d" not in piece:
        return piece * max(1, size // len(piece.encode()))
    number, pieces = count(), piece.split("%d")
    long = len("".join(pieces).encode()) + 6 * (len(pieces) - 1)
    return "".join(
        "".join(f"{next(number):06}{text}" if at else text for at, text in enumerate(pieces))
        for _ in range(max(1, size // long))
    )


def _in(before: str, after: str) -> Place:
    return Place(before, after)


def _each(before: str, after: str, first: str = "") -> Place:
    return Place(before, after, first, parts=True)


PLACES: dict[str, Place] = {
    "body": Place(),
    "paragraphs": _each("", "\n\n"),
    "lines": _each("", "\n"),
    "within words": _in("a", "b\n"),
    "heading within words": _in("# a", "b\n"),
    "heading with an id": _in("## a", "b {#c}\n"),
    "underlined heading": _in("a", "b\n===\n"),
    "heading": _in("# ", "\n"),
    "headings": _each("## ", "\n\n"),
    "cell": _in("| ", " |\n| - |\n| b |\n"),
    "cells": _each("| ", " |\n", "| a |\n| - |\n"),
    "item": _in("- ", "\n"),
    "items": _each("- ", "\n"),
    "quote": _in("> ", "\n"),
    "quotes": _each("> ", "\n\n"),
    "component": _in("<Card>\n", "\n</Card>\n"),
    "component after text": _in("<Card>\n\na\n", "\n\n</Card>\n"),
    "braces with an empty line": _in("<Card>\n\n{", "\n\n}\n\n</Card>\n"),
    "admonition": _in(":::note\n", "\n:::\n"),
    "attribute": _in('<Card title="', '">a</Card>\n'),
    "attributes": _in("<Card ", ">a</Card>\n"),
    "html attribute": _in('<img alt="', '" src="a.png">\n'),
    "link text": _in("[", "](/docs/a)\n"),
    "link title": _in('[a](/docs/a "', '")\n'),
    "link destination": _in("[a](", ")\n"),
    "link in angles": _in("[a](<", ">)\n"),
    "image text": _in("![", "](a.png)\n"),
    "definition": _in("[a]\n\n[a]: b '", "'\n"),
    "reference": _in("[a]: https://e.org/", "\n"),
    "label": _in("[", "]\n\n[a]: b\n"),
    "footnote": _in("[^a]\n\n[^a]: ", "\n"),
    "emphasis": _in("*", "*\n"),
    "title": _in('---\ntitle: "', '"\n---\n\na\n'),
    "description": _in("---\ndescription: '", "'\n---\n\na\n"),
    "frontmatter": _in("---\n", "\n---\n\na\n"),
    "fence info": _in("```", "\na\n```\n"),
    "fence": _in("```html\n", "\n```\n"),
    "fence of Terraform": _in("```terraform\n", "\n```\n"),
    "comment in code": _in("```js\na", "[!code focus] highlight-next-line\n```\n"),
    "comment in code at its end": _in("```js\n// [!code hl]", "x\n```\n"),
    "import": _in("import 'a'", "x\n"),
    "function": _in("export function", ")\n"),
    "code span": _in("`", "`\n"),
    "expression": _in("{", "}\n"),
    "comment": _in("<!-- ", " -->\n"),
    "html": _in("<div>\n", "\n</div>\n"),
}
