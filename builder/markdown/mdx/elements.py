"""Lower-case tags in `mdx`: which stay, which go with all they hold, which go alone.

kept        `<kbd>`           stays in running text, with the attributes listed here
disclosure  `<details>`       stays as a block, as components do
hidden      `<script>`        goes with its content
html        `<div>`, `<b>`    goes, its text stays
component   `<Card>`          a component of the site
unknown     `<Crad>`          goes as html does, with a word about the name
"""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterator, Mapping
from typing import Literal

from markdown_it.common.html_blocks import block_names
from markdown_it.token import Token
from msgspec import Struct, field

from builder.links.urls import RELATIONS
from builder.markdown.mdx.destinations import Destination
from builder.markdown.mdx.inline_marks import MarkFault
from builder.markdown.mdx.scan.tags import Given, Tag
from components.registry import COMPONENTS

Sort = Literal["kept", "disclosure", "hidden", "html", "component", "unknown"]

_EVERYWHERE = frozenset({"id", "title", "lang", "dir"})

KEPT: Mapping[str, frozenset[str]] = {
    "a": _EVERYWHERE | {"href", "rel", "target"},
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

_LOOKS = frozenset({"align", "class", "classname", "style"})
_MEANT = {"name": "write `id`", "referrerpolicy": 'write `rel="noreferrer"`'}
_FORMS = {each: f'write pixels, as in `{each}="400"`' for each in ("width", "height")}
_ADDRESSES = frozenset({"href", "src"})
_VALID = {
    "id": re.compile(r"(?!tp-)[^\s\"'<>&`]{1,200}"),
    "width": re.compile(r"\d{1,5}"),
    "height": re.compile(r"\d{1,5}"),
    "dir": re.compile(r"ltr|rtl|auto"),
    "rel": re.compile(rf"\s*(?:(?:{'|'.join(sorted(RELATIONS))})(?:\s+|$))+", re.IGNORECASE),
    "target": re.compile("_blank"),
    "lang": re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}"),
}


def canonical(name: str) -> str:
    """The name as it is known: HTML's names may be written in capitals, components' may not."""
    lower = name.lower()
    return lower if name.isupper() and lower in _KNOWN and name not in COMPONENTS else name


def sort(name: str, components: Container[str]) -> Sort:
    """Sort the tags of a canonical name by what becomes of them; `components` are known on this site."""
    if name in components:
        return "component"
    if name[0].isupper():
        return "unknown"
    if name in KEPT:
        return "kept"
    if name in DISCLOSURE:
        return "disclosure"
    return "hidden" if name in HIDDEN else "html"


class KeptAttributes(Struct):
    """The attributes of a tag that stay; `edits` are the changes to it in the twin."""

    attributes: dict[str, str | int | float] = field(default_factory=dict)
    faults: list[MarkFault] = field(default_factory=list)
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def tokens(self, name: str) -> Iterator[Token]:
        """The tokens that stand for the opening tag."""
        if name == "br":
            yield Token("hardbreak", "br", 0)
        elif name == "img":
            meta = {"alt": "alt" in self.attributes}
            label = str(self.attributes.pop("alt", ""))
            text = [Token("text", "", 0, content=label)] if label else []
            if "src" in self.attributes:
                attributes = {**self.attributes, "alt": ""}
                yield Token("image", "img", 0, attributes, content=label, children=text, meta=meta)
            else:
                yield from text
        else:
            kind = "link_open" if name == "a" else "element_open"
            yield Token(kind, name, 1, self.attributes)


def attributes_of(name: str, tag: Tag) -> KeptAttributes:
    """Look at all attributes of a kept element's tag."""
    kept = KeptAttributes()
    for given in tag.attributes:
        key, value = given.name.lower(), _text(given)
        if key not in KEPT[name]:
            message = f"`{given.name or '{...}'}` does not stay on `<{name}>`"
            _drop(kept, given, "attribute-unknown", message, _hint(key))
        elif value is None:
            _drop(kept, given, "attribute-expression", f"the value of `{key}` is no plain string or number")
        elif key in _VALID and not _VALID[key].fullmatch(value):
            _drop(kept, given, "attribute-invalid", f"`{key}` cannot be `{value[:40]}`", _FORMS.get(key, ""))
        else:
            _keep(kept, key, value, given)
    if "target" in kept.attributes:
        # Browsers of today take it as said.
        kept.attributes["rel"] = " ".join({**dict.fromkeys(_words(kept)), "noopener": None})
    return kept


def _words(kept: KeptAttributes) -> list[str]:
    return str(kept.attributes.get("rel", "")).lower().split()


def _hint(key: str) -> str:
    if key in _LOOKS:
        return "leave it out: the theme, and style sheets named by `css` in `site.yml`, say how pages look"
    return "leave it out: pages run no code" if key.startswith("on") else _MEANT.get(key, "")


def _text(given: Given) -> str | None:
    if given.value is True:
        return ""
    return None if given.value is None or isinstance(given.value, bool | tuple) else str(given.value)


def _keep(kept: KeptAttributes, key: str, value: str, given: Given) -> None:
    is_address = key in _ADDRESSES
    start, stop = given.value_start, given.value_end
    kept.attributes[key] = Destination.at(value, start, stop, attribute=True) if is_address else value
    if not is_address and given.braced:
        kept.edits.append((start, stop, f'"{html.escape(value)}"'))


def _drop(kept: KeptAttributes, given: Given, code: str, message: str, hint: str = "") -> None:
    kept.faults.append(MarkFault(given.start, code, message, hint))
    kept.edits.append((given.start - 1, given.value_end, ""))
