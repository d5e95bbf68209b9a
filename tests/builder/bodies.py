"""Rendering bodies in tests: one small site around them, and questions that many tests ask of the result."""

from __future__ import annotations

import re
from collections.abc import Collection
from html.parser import HTMLParser

import html5lib

from builder.links.table import LinkTable, Target
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import Body, BodySource
from builder.paths import Format

_PAGES = {
    "docs/guide/install": Target("/docs/guide/install"),
    "docs/guide/index": Target("/docs/guide/"),
    "docs/x": Target("/docs/x"),
    "docs/secret": Target("/docs/secret", draft=True),
}
SITE = LinkTable(_PAGES, frozenset({"img/a.png", "docs/guide/clip.mp4"}), "", "https://o.example")

_FRAME = "<!DOCTYPE html><title>t</title><body><main><article>{}</article></main><footer>after</footer>"


def rendered(text: str, form: Format = "mdx", *, premium: bool = True, extras: Collection[str] = ()) -> Body:
    """The body of the page `docs/guide/install`, whose first line is line 1 of its file."""
    source = BodySource(text, form, f"docs/guide/install.{form}", 1, "docs/guide/install")
    hosts, extra = ("www.youtube.com",), frozenset(extras)
    return render(source, Context(premium, hosts, SITE, "", "https://o.example", extras=extra))


def findings(body: Body) -> list[str]:
    """The diagnostics as `line:column code`."""
    return [f"{one.line}:{one.column} {one.code}" for one in body.diagnostics]


def faults(html: str) -> list[str]:
    """Return the faults that an HTML parser finds in the article, and any harm to the page after it."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(_FRAME.format(html))
    wrong = [f"{code} {values}" for _, code, values in parser.errors]
    body = tree.find("body")
    shape = [(child.tag, len(child)) for child in body]
    if shape != [("main", 1), ("footer", 0)] or body[1].text != "after":
        wrong.append(f"the frame became {shape}")
    return wrong


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {
            "a",
            "abbr",
            "b",
            "code",
            "del",
            "em",
            "i",
            "kbd",
            "mark",
            "span",
            "strong",
            "sub",
            "sup",
            "wbr",
        }:
            self.pieces.append(" ")
        self.pieces.extend(f" {value} " for name, value in attrs if name == "alt" and value)

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def text_of(html: str) -> str:
    """The text that readers see, the descriptions of images included."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return "".join(parser.pieces)


def words(text: str) -> list[str]:
    """Letters and digits, in runs."""
    return re.findall(r"[^\W_]+", text)
