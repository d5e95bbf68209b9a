"""Lower-case tags in `mdx`: which stay, which go with all they hold, which go alone.

kept        `<kbd>`           stays in running text, with the attributes listed here
disclosure  `<details>`       stays as a block, as components do
hidden      `<script>`        goes with its content
html        `<div>`, `<b>`    goes, its text stays
component   `<Card>`          a component of the registry
unknown     `<Crad>`          goes as html does, with a word about the name
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from markdown_it.common.html_blocks import block_names

from components.registry import COMPONENTS

Sort = Literal["kept", "disclosure", "hidden", "html", "component", "unknown"]

_EVERYWHERE = frozenset({"id", "title", "lang", "dir"})

KEPT: Mapping[str, frozenset[str]] = {
    "a": _EVERYWHERE | {"href"},
    "abbr": _EVERYWHERE,
    "br": frozenset(),
    "img": _EVERYWHERE | {"src", "alt", "width", "height"},
    "kbd": _EVERYWHERE,
    "mark": _EVERYWHERE,
    "sub": _EVERYWHERE,
    "sup": _EVERYWHERE,
}
"""Elements that stay in running text, each with its attributes."""

DISCLOSURE = frozenset({"details", "summary"})

HIDDEN = frozenset({
    "applet", "frameset", "head", "iframe", "math", "noembed", "noframes", "noscript", "object",
    "plaintext", "script", "style", "svg", "template", "xmp",
})  # fmt: skip
"""What stands within these is no text for readers."""

VOID = frozenset({
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta",
    "param", "source", "track", "wbr",
})  # fmt: skip
"""These have no closing tag."""

BLOCKS = frozenset(block_names) | {"pre", "picture", "video", "audio", "button", "textarea", "hgroup"}
"""These interrupt a paragraph."""

_INLINE = frozenset({
    "acronym", "b", "bdi", "bdo", "big", "canvas", "cite", "code", "data", "del", "dfn", "em",
    "embed", "font", "i", "input", "ins", "label", "map", "meter", "output", "progress", "q", "rp",
    "rt", "ruby", "s", "samp", "select", "slot", "small", "span", "strike", "strong", "time", "tt",
    "u", "var", "wbr",
})  # fmt: skip
_KNOWN = frozenset(KEPT) | DISCLOSURE | HIDDEN | VOID | BLOCKS | _INLINE


def canonical(name: str) -> str:
    """The name as it is known: HTML's names may be written in capitals, components' may not."""
    lower = name.lower()
    return lower if name.isupper() and lower in _KNOWN and name not in COMPONENTS else name


def sort(name: str) -> Sort:
    """What becomes of the tags of a canonical name."""
    if name in COMPONENTS:
        return "component"
    if name[0].isupper():
        return "unknown"
    if name in KEPT:
        return "kept"
    if name in DISCLOSURE:
        return "disclosure"
    return "hidden" if name in HIDDEN else "html"
